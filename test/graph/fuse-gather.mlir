// RUN: heddle-opt %s --heddle-fuse-gather --validate-rewrites --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

!i = tensor<?xi32, #heddle.dims<b>>
!f = tensor<?xf32, #heddle.dims<b>>
!o = tensor<?x3xf32, #heddle.dims<b, 3>>
!c = tensor<?x3xi1, #heddle.dims<b, 3>>
!n = tensor<3xf32, #heddle.dims<3>>
!w = tensor<3x2xf32, #heddle.dims<3, 2>>
!y = tensor<?x2xf32, #heddle.dims<b, 2>>
heddle.weight @places : !n = #heddle.cast<#heddle.constant<dense<[0.0, 1.0, 2.0]> : tensor<3xf64>>, f32>
heddle.weight @others : !n = #heddle.cast<#heddle.constant<dense<[1.0, 2.0, 3.0]> : tensor<3xf64>>, f32>
heddle.weight @table : !w = #heddle.tensor<"table", tensor<3x2xf32>>

// Ids that are not in the table give rows of 0, as before.
// CHECK-LABEL: func.func @one_hot
// CHECK: %[[LOW:.*]] = arith.maxsi %arg0
// CHECK: %[[ID:.*]] = arith.minsi %[[LOW]]
// CHECK: %[[ROW:.*]] = heddle.gather %{{.*}}[%[[ID]]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %arg0, %[[ID]]
// CHECK: %[[KNOWN:.*]] = heddle.broadcast %[[SAME]] along [0]
// CHECK: %[[Y:.*]] = arith.select %[[KNOWN]], %[[ROW]], %{{.*}}
// CHECK: return %[[Y]]
func.func @one_hot(%ids: !i) -> !y {
  %f = arith.sitofp %ids : !i to !f
  %l = heddle.broadcast %f along [0] : !f -> !o
  %n = heddle.use @places : !n
  %r = heddle.broadcast %n along [1] : !n -> !o
  %c = arith.cmpf oeq, %l, %r : !o
  %x = arith.uitofp %c : !c to !o
  %w = heddle.use @table : !w
  // expected-remark @+1 {{gather}}
  %y = heddle.matmul %x, %w : !o, !w -> !y
  return %y : !y
}
// CHECK-LABEL: func.func @chosen
// CHECK: heddle.gather
func.func @chosen(%ids: !i) -> !y {
  %f = arith.sitofp %ids : !i to !f
  %l = heddle.broadcast %f along [0] : !f -> !o
  %n = heddle.use @places : !n
  %r = heddle.broadcast %n along [1] : !n -> !o
  %c = arith.cmpf oeq, %r, %l : !o
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %ones = heddle.broadcast %one along [] : f64 -> !o
  %zeros = heddle.broadcast %zero along [] : f64 -> !o
  %x = arith.select %c, %ones, %zeros : !c, !o
  %w = heddle.use @table : !w
  // expected-remark @+1 {{gather}}
  %y = heddle.matmul %x, %w : !o, !w -> !y
  return %y : !y
}
// CHECK-LABEL: func.func @no_gather_of_other_numbers
// CHECK: heddle.matmul
func.func @no_gather_of_other_numbers(%ids: !i) -> !y {
  %f = arith.sitofp %ids : !i to !f
  %l = heddle.broadcast %f along [0] : !f -> !o
  %n = heddle.use @others : !n
  %r = heddle.broadcast %n along [1] : !n -> !o
  %c = arith.cmpf oeq, %l, %r : !o
  %x = arith.uitofp %c : !c to !o
  %w = heddle.use @table : !w
  // expected-remark @+1 {{ids are compared with 1 at place 0, not with the place itself}}
  %y = heddle.matmul %x, %w : !o, !w -> !y
  return %y : !y
}
// CHECK-LABEL: func.func @no_gather_by_numbers
// CHECK: heddle.matmul
func.func @no_gather_by_numbers(%f: !f) -> !y {
  %l = heddle.broadcast %f along [0] : !f -> !o
  %n = heddle.use @places : !n
  %r = heddle.broadcast %n along [1] : !n -> !o
  %c = arith.cmpf oeq, %l, %r : !o
  %x = arith.uitofp %c : !c to !o
  %w = heddle.use @table : !w
  // expected-remark @+1 {{what is compared is no tensor of ints}}
  %y = heddle.matmul %x, %w : !o, !w -> !y
  return %y : !y
}
// CHECK-LABEL: func.func @no_gather_of_computed_table
// CHECK: heddle.matmul
func.func @no_gather_of_computed_table(%ids: !i) -> !y {
  %f = arith.sitofp %ids : !i to !f
  %l = heddle.broadcast %f along [0] : !f -> !o
  %n = heddle.use @places : !n
  %r = heddle.broadcast %n along [1] : !n -> !o
  %c = arith.cmpf oeq, %l, %r : !o
  %x = arith.uitofp %c : !c to !o
  %w = heddle.use @table : !w
  %e = math.exp %w : !w
  // expected-remark @+1 {{the table is no weight}}
  %y = heddle.matmul %x, %e : !o, !w -> !y
  return %y : !y
}
