// RUN: heddle-opt %s --heddle-outline-checks --split-input-file | FileCheck %s

!x = tensor<?x32xf32, #heddle.dims<s.tokens, 32>>
!w = tensor<32x32xf32, #heddle.dims<32, 32>>
!o = tensor<?xi64, #heddle.dims<batch + 1>>
!s = tensor<?xi64, #heddle.dims<batch>>

// A kernel's entry calls it with the weights of its first call; what another kernel made, and the caller's rows, are its arguments.
// CHECK: module attributes {heddle.model_name = "m"}
// CHECK-COUNT-2: func.func private
// CHECK: func.func @check.double(%[[X:.*]]: tensor<?x32xf32{{[^{]*}}{heddle.name = "argument0"}, %{{.*}}: tensor<?xi64{{[^{]*}}{heddle.offsets = "s"}, %{{.*}}: tensor<?xi64{{[^{]*}}{heddle.starts = "s"})
// CHECK-SAME: heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]
// CHECK-NEXT: %[[Y:.*]] = call @double(%[[X]])
// CHECK-NEXT: return %[[Y]]
// CHECK: func.func @check.block
// CHECK-NEXT: %[[W:.*]] = heddle.use @w1
// CHECK-NEXT: %[[Y:.*]] = call @block(%{{.*}}, %[[W]])
// CHECK-NEXT: return %[[Y]]
// CHECK-NOT: @check
module attributes {heddle.checks, heddle.model_name = "m"} {
heddle.weight @w1 : !w = #heddle.tensor<"w1", tensor<32x32xf32>>
heddle.weight @w2 : !w = #heddle.tensor<"w2", tensor<32x32xf32>>
func.func private @double(%x: !x) -> !x {
  %y = arith.addf %x, %x : !x
  return %y : !x
}
func.func private @block(%x: !x, %w: !w) -> !x {
  %y = heddle.linear %x, %w : !x, !w -> !x
  return %y : !x
}
func.func @f(%x: !x {heddle.name = "x"}, %o: !o {heddle.offsets = "s"}, %s: !s {heddle.starts = "s"}) -> (!x {heddle.name = "y"})
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %w1 = heddle.use @w1 : !w
  %w2 = heddle.use @w2 : !w
  %a = call @double(%x) : (!x) -> !x
  %b = call @block(%a, %w1) : (!x, !w) -> !x
  %c = call @block(%b, %w2) : (!x, !w) -> !x
  return %c : !x
}
}

// -----
!i = tensor<?xi32, #heddle.dims<n>>
!t = tensor<10x6xf32, #heddle.dims<10, 6>>
!x = tensor<?x6xf32, #heddle.dims<n, 6>>

// Rows of 6 columns lie as whole panels inside: kernels of their own copy what the check is given and what it returns. Ids stay inside the table.
// CHECK-LABEL: func.func private @shift(
// CHECK: func.func private @check.shift.flatten.0
// CHECK-SAME: heddle.exact
// CHECK-NEXT: heddle.flatten
// CHECK: func.func private @check.shift.unflatten.1
// CHECK-SAME: attributes {heddle.exact}
// CHECK-NEXT: heddle.unflatten
// CHECK: func.func @check.shift(%{{.*}}: tensor<?xi32{{[^{]*}}{heddle.id_bound = 5 : i64, heddle.name = "argument0"}, %[[X:.*]]: tensor<?x6xf32
// CHECK: %[[IN:.*]] = call @check.shift.flatten.0(%[[X]])
// CHECK: %[[Y:.*]] = call @shift(%{{.*}}, %{{.*}}, %[[IN]])
// CHECK: %[[OUT:.*]] = call @check.shift.unflatten.1(%[[Y]])
// CHECK: return %[[OUT]]
module attributes {heddle.checks} {
heddle.weight @t : !t = #heddle.tensor<"t", tensor<10x6xf32>>
func.func private @shift(%i: !i {heddle.exact}, %t: !t, %x: !x) -> !x {
  %g = heddle.gather %t[%i] : !t, !i -> !x
  %y = arith.addf %g, %x : !x
  return %y : !x
}
func.func private @out(%x: !x) -> !x attributes {heddle.exact} {
  %y = heddle.unflatten %x : !x -> !x
  return %y : !x
}
func.func private @in(%x: !x {heddle.exact}) -> !x {
  %y = heddle.flatten %x : !x -> !x
  return %y : !x
}
func.func @f(%i: !i {heddle.name = "i"}, %x: !x {heddle.name = "x"}) -> (!x {heddle.name = "y"})
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"n">]} {
  %t = heddle.use @t : !t
  %a = call @in(%x) : (!x) -> !x
  %b = call @shift(%i, %t, %a) : (!i, !t, !x) -> !x
  %c = call @out(%b) : (!x) -> !x
  return %c : !x
}
}

// -----
!x = tensor<?x16xf32, #heddle.dims<n, 16>>
!h = tensor<?x16xf32, #heddle.dims<n floordiv 2, 16>>

// The table has no form for an extent that divides. And no module is changed that does not ask for it.
// CHECK-LABEL: func.func private @half
// CHECK-NOT: check
module attributes {heddle.checks} {
func.func private @half(%x: !h) -> !h {
  %y = arith.addf %x, %x : !h
  return %y : !h
}
func.func @f(%x: !h {heddle.name = "x"}) -> (!h {heddle.name = "y"}) attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"n">]} {
  %a = call @half(%x) : (!h) -> !h
  return %a : !h
}
}

// -----
!x = tensor<?x16xf32, #heddle.dims<n, 16>>
// CHECK-LABEL: func.func private @double
// CHECK-NOT: @check
func.func private @double(%x: !x) -> !x {
  %y = arith.addf %x, %x : !x
  return %y : !x
}
func.func @f(%x: !x {heddle.name = "x"}) -> (!x {heddle.name = "y"}) attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"n">]} {
  %a = call @double(%x) : (!x) -> !x
  return %a : !x
}
