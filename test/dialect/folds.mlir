// RUN: heddle-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @transposes
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @transposes(%x: tensor<2x3xf32, #heddle.dims<2, 3>>) -> tensor<2x3xf32, #heddle.dims<2, 3>> {
  %0 = heddle.transpose %x [1, 0] : tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<3x2xf32, #heddle.dims<3, 2>>
  %1 = heddle.transpose %0 [1, 0] : tensor<3x2xf32, #heddle.dims<3, 2>> -> tensor<2x3xf32, #heddle.dims<2, 3>>
  return %1 : tensor<2x3xf32, #heddle.dims<2, 3>>
}
// CHECK-LABEL: @reshapes
// CHECK-NEXT: %[[R:.*]] = heddle.reshape %{{.*}} -> tensor<3x2xf32
// CHECK-NEXT: return %[[R]]
func.func @reshapes(%x: tensor<2x3xf32, #heddle.dims<2, 3>>) -> tensor<3x2xf32, #heddle.dims<3, 2>> {
  %0 = heddle.reshape %x : tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<6xf32, #heddle.dims<6>>
  %1 = heddle.reshape %0 : tensor<6xf32, #heddle.dims<6>> -> tensor<3x2xf32, #heddle.dims<3, 2>>
  return %1 : tensor<3x2xf32, #heddle.dims<3, 2>>
}
// CHECK-LABEL: @slices
// CHECK-NEXT: heddle.slice %{{.*}} axis 0 from 3
// CHECK-NEXT: return
func.func @slices(%x: tensor<8xf32, #heddle.dims<8>>) -> tensor<2xf32, #heddle.dims<2>> {
  %0 = heddle.slice %x axis 0 from 2 : tensor<8xf32, #heddle.dims<8>> -> tensor<4xf32, #heddle.dims<4>>
  %1 = heddle.slice %0 axis 0 from 1 : tensor<4xf32, #heddle.dims<4>> -> tensor<2xf32, #heddle.dims<2>>
  return %1 : tensor<2xf32, #heddle.dims<2>>
}
// A slice along another axis is not the same slice.
// CHECK-LABEL: @no_slices_of_two_axes
// CHECK-COUNT-2: heddle.slice
func.func @no_slices_of_two_axes(%x: tensor<8x8xf32, #heddle.dims<8, 8>>) -> tensor<4x2xf32, #heddle.dims<4, 2>> {
  %0 = heddle.slice %x axis 0 from 2 : tensor<8x8xf32, #heddle.dims<8, 8>> -> tensor<4x8xf32, #heddle.dims<4, 8>>
  %1 = heddle.slice %0 axis 1 from 1 : tensor<4x8xf32, #heddle.dims<4, 8>> -> tensor<4x2xf32, #heddle.dims<4, 2>>
  return %1 : tensor<4x2xf32, #heddle.dims<4, 2>>
}
// CHECK-LABEL: @nothing_moves
// CHECK-NEXT: return
func.func @nothing_moves(%x: tensor<8xf32, #heddle.dims<8>>) -> tensor<8xf32, #heddle.dims<8>> {
  %0 = heddle.broadcast %x along [0] : tensor<8xf32, #heddle.dims<8>> -> tensor<8xf32, #heddle.dims<8>>
  %1 = heddle.slice %0 axis 0 from 0 : tensor<8xf32, #heddle.dims<8>> -> tensor<8xf32, #heddle.dims<8>>
  %2 = heddle.concat %1 axis 0 : tensor<8xf32, #heddle.dims<8>> -> tensor<8xf32, #heddle.dims<8>>
  return %2 : tensor<8xf32, #heddle.dims<8>>
}
// CHECK-LABEL: @equal_masks
// CHECK: %[[M:.*]] = heddle.mask_causal
// CHECK-NEXT: heddle.mask_values %[[M]]
func.func @equal_masks() -> tensor<?x?x?xi1, #heddle.dims<b, s, s>> {
  %m = heddle.mask_causal
  %0 = heddle.mask_and %m, %m
  %1 = heddle.mask_values %0 : tensor<?x?x?xi1, #heddle.dims<b, s, s>>
  return %1 : tensor<?x?x?xi1, #heddle.dims<b, s, s>>
}

!q = tensor<?x4x?x16xf32, #heddle.dims<b, 4, s, 16>>
// Score changes stand in their order, then what hides, each kind once: the tighter window, no right limit beside causal.
// CHECK-LABEL: @masks
// CHECK-DAG: %[[CAUSAL:.*]] = heddle.mask_causal
// CHECK-DAG: %[[WINDOW:.*]] = heddle.mask_window left 3
// CHECK-DAG: %[[CAP:.*]] = heddle.softcap
// CHECK-DAG: %[[ALIBI:.*]] = heddle.bias_alibi
// CHECK-DAG: %[[TENSOR:.*]] = heddle.mask_tensor
// CHECK: %[[C:.*]] = heddle.mask_and %[[WINDOW]], %[[TENSOR]]
// CHECK-NEXT: %[[B:.*]] = heddle.mask_and %[[CAUSAL]], %[[C]]
// CHECK-NEXT: %[[A:.*]] = heddle.mask_and %[[ALIBI]], %[[B]]
// CHECK-NEXT: %[[ALL:.*]] = heddle.mask_and %[[CAP]], %[[A]]
// CHECK-NEXT: heddle.attention {{.*}} mask %[[ALL]]
func.func @masks(%q: !q, %v: tensor<?x?x?xi1, #heddle.dims<b, s, s>>, %slopes: tensor<4xf32, #heddle.dims<4>>) -> !q {
  %tensor = heddle.mask_tensor %v : tensor<?x?x?xi1, #heddle.dims<b, s, s>>
  %wide = heddle.mask_window left 5 right 9
  %narrow = heddle.mask_window left 3
  %causal = heddle.mask_causal
  %cap = heddle.softcap 5.0
  %alibi = heddle.bias_alibi %slopes : tensor<4xf32, #heddle.dims<4>>
  %0 = heddle.mask_and %tensor, %cap
  %1 = heddle.mask_and %wide, %alibi
  %2 = heddle.mask_and %0, %1
  %3 = heddle.mask_and %narrow, %causal
  %4 = heddle.mask_and %2, %3
  %a = heddle.attention %q, %q, %q mask %4 scale 0.25 : !q, !q, !q -> !q
  return %a : !q
}
// A cap after a bias is not a cap before it.
// CHECK-LABEL: @no_order_of_score_changes
// CHECK-DAG: %[[CAP:.*]] = heddle.softcap
// CHECK-DAG: %[[ALIBI:.*]] = heddle.bias_alibi
// CHECK: heddle.mask_and %[[ALIBI]], %[[CAP]]
func.func @no_order_of_score_changes(%q: !q, %slopes: tensor<4xf32, #heddle.dims<4>>) -> !q {
  %cap = heddle.softcap 5.0
  %alibi = heddle.bias_alibi %slopes : tensor<4xf32, #heddle.dims<4>>
  %0 = heddle.mask_and %alibi, %cap
  %a = heddle.attention %q, %q, %q mask %0 scale 0.25 : !q, !q, !q -> !q
  return %a : !q
}
// CHECK-LABEL: @windows_of_one_side
// CHECK-DAG: %[[CAUSAL:.*]] = heddle.mask_causal
// CHECK-DAG: %[[WINDOW:.*]] = heddle.mask_window left 4
// CHECK: %[[M:.*]] = heddle.mask_and %[[CAUSAL]], %[[WINDOW]]
// CHECK: heddle.attention {{.*}} mask %[[M]]
func.func @windows_of_one_side(%q: !q) -> !q {
  %m = heddle.mask_window left 4 right 1
  %a = heddle.attention %q, %q, %q mask %m scale 0.25 : !q, !q, !q -> !q
  return %a : !q
}
// A mask that hides nothing is none.
// CHECK-LABEL: @windows_without_limits
// CHECK-NEXT: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} scale
func.func @windows_without_limits(%q: !q) -> !q {
  %m = heddle.mask_window
  %n = heddle.mask_window
  %0 = heddle.mask_and %m, %n
  %a = heddle.attention %q, %q, %q mask %0 scale 0.25 : !q, !q, !q -> !q
  return %a : !q
}
// Causal hides more than a prefix; a query that does not see itself is more than causal; padding of both sides is one mask.
// CHECK-LABEL: @the_tighter_one
// CHECK-DAG: %[[WINDOW:.*]] = heddle.mask_window right 0
// CHECK-DAG: %[[TOKENS:.*]] = heddle.mask_tokens queries %{{.*}} keys
// CHECK: %[[M:.*]] = heddle.mask_and %[[WINDOW]], %[[TOKENS]]
// CHECK: heddle.attention {{.*}} mask %[[M]]
func.func @the_tighter_one(%q: !q, %n: tensor<?xi32, #heddle.dims<b>>, %v: tensor<?x?xi1, #heddle.dims<b, s>>) -> !q {
  %prefix = heddle.mask_prefix %n : tensor<?xi32, #heddle.dims<b>>
  %causal = heddle.mask_causal
  %strict = heddle.mask_window right 0
  %queries = heddle.mask_tokens queries %v : tensor<?x?xi1, #heddle.dims<b, s>>
  %keys = heddle.mask_tokens keys %v : tensor<?x?xi1, #heddle.dims<b, s>>
  %0 = heddle.mask_and %keys, %prefix
  %1 = heddle.mask_and %causal, %0
  %2 = heddle.mask_and %queries, %strict
  %3 = heddle.mask_and %1, %2
  %a = heddle.attention %q, %q, %q mask %3 scale 0.25 : !q, !q, !q -> !q
  return %a : !q
}
