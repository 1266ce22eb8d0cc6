// RUN: heddle-opt %s --heddle-fuse-masks --validate-rewrites --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

!q = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!i = tensor<?x?xi32, #heddle.dims<batch, s>>
!p = tensor<?x?x?xi32, #heddle.dims<batch, s, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
// not (j > i) and i - j < 4, where ids differ from 0.
// CHECK-LABEL: func.func @comparisons
// CHECK-DAG: %[[CAUSAL:.*]] = heddle.mask_causal
// CHECK-DAG: %[[WINDOW:.*]] = heddle.mask_window left 4
// CHECK-DAG: %[[TOKENS:.*]] = heddle.mask_tokens keys %{{.*}} : tensor<?x?xi1, #heddle.dims<batch, s>>
// CHECK: heddle.attention {{.*}} mask
// CHECK-NOT: heddle.mask_tensor
func.func @comparisons(%q: !q, %ids: !i) -> !q {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %true = arith.constant true
  %positions = heddle.positions : !i
  %i = heddle.broadcast %positions along [0, 1] : !i -> !p
  %j = heddle.broadcast %positions along [0, 2] : !i -> !p
  %after = arith.cmpi sgt, %j, %i : !p
  %all = heddle.broadcast %true along [] : i1 -> !b
  %before = arith.xori %after, %all : !b
  %distance = arith.subi %i, %j : !p
  %fours = heddle.broadcast %four along [] : i32 -> !p
  %near = arith.cmpi slt, %distance, %fours : !p
  %pads = heddle.broadcast %zero along [] : i32 -> !i
  %real = arith.cmpi ne, %ids, %pads : !i
  %keys = heddle.broadcast %real along [0, 2] : tensor<?x?xi1, #heddle.dims<batch, s>> -> !b
  %both = arith.andi %before, %near : !b
  %seen = arith.andi %both, %keys : !b
  // expected-remark @+3 {{mask_causal}}
  // expected-remark @+2 {{mask_window}}
  // expected-remark @+1 {{mask_tokens}}
  %m = heddle.mask_tensor %seen : !b
  %a = heddle.attention %q, %q, %q mask %m scale 0.5 : !q, !q, !q -> !q
  return %a : !q
}

// -----
!q = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, t, 4>>
!k = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!i = tensor<?x?xi32, #heddle.dims<batch, t>>
!j = tensor<?x?xi32, #heddle.dims<batch, s>>
!p = tensor<?x?x?xi32, #heddle.dims<batch, t, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, t, s>>
// Cross-attention: j <= i or j < n is a prefix, equal ids are segments.
// CHECK-LABEL: func.func @two_axes
// CHECK-DAG: heddle.mask_prefix %arg4 : tensor<?xi32, #heddle.dims<batch>>
// CHECK-DAG: heddle.mask_segments %arg2, %arg3
func.func @two_axes(%q: !q, %k: !k, %a: !i, %b: !j, %n: tensor<?xi32, #heddle.dims<batch>>) -> !q {
  %pi = heddle.positions : !i
  %pj = heddle.positions : !j
  %i = heddle.broadcast %pi along [0, 1] : !i -> !p
  %j = heddle.broadcast %pj along [0, 2] : !j -> !p
  %ns = heddle.broadcast %n along [0] : tensor<?xi32, #heddle.dims<batch>> -> !p
  %causal = arith.cmpi sge, %i, %j : !p
  %prefix = arith.cmpi sgt, %ns, %j : !p
  %either = arith.ori %prefix, %causal : !b
  %mine = heddle.broadcast %a along [0, 1] : !i -> !p
  %theirs = heddle.broadcast %b along [0, 2] : !j -> !p
  %same = arith.cmpi eq, %theirs, %mine : !p
  %seen = arith.andi %either, %same : !b
  // expected-remark @+2 {{mask_prefix}}
  // expected-remark @+1 {{mask_segments}}
  %m = heddle.mask_tensor %seen : !b
  %o = heddle.attention %q, %k, %k mask %m scale 0.5 : !q, !k, !k -> !q
  return %o : !q
}

// -----
!q = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!i = tensor<?x?xi32, #heddle.dims<batch, s>>
!pi = tensor<?x?x?xi32, #heddle.dims<batch, s, s>>
!f = tensor<?x?xf32, #heddle.dims<batch, s>>
!b = tensor<?x2x?x?xi1, #heddle.dims<batch, 2, s, s>>
!p = tensor<?x2x?x?xf32, #heddle.dims<batch, 2, s, s>>
// 0 or -infinity hides; slopes times distances are alibi, in whatever order and sign.
// CHECK-LABEL: func.func @added
// CHECK-DAG: heddle.mask_causal
// CHECK-DAG: heddle.bias_alibi %{{.*}} : tensor<2xf32, #heddle.dims<2>>
// CHECK-NOT: heddle.bias_tensor
func.func @added(%q: !q, %slopes: tensor<2xf32, #heddle.dims<2>>) -> !q {
  %z = arith.constant 0.0 : f64
  %n = arith.constant 0xFFF0000000000000 : f64
  %zero = heddle.broadcast %z along [] : f64 -> !p
  %none = heddle.broadcast %n along [] : f64 -> !p
  %positions = heddle.positions : !i
  %floats = arith.sitofp %positions : !i to !f
  %i = heddle.broadcast %floats along [0, 2] : !f -> !p
  %j = heddle.broadcast %floats along [0, 3] : !f -> !p
  %after = arith.cmpf olt, %i, %j : !p
  %hidden = arith.select %after, %none, %zero : !b, !p
  %back = arith.subf %i, %j : !p
  %each = heddle.broadcast %slopes along [1] : tensor<2xf32, #heddle.dims<2>> -> !p
  %down = arith.mulf %back, %each : !p
  %less = arith.negf %down : !p
  %sum = arith.addf %less, %hidden : !p
  // expected-remark @+2 {{bias_alibi}}
  // expected-remark @+1 {{mask_causal}}
  %m = heddle.bias_tensor %sum : !p
  %o = heddle.attention %q, %q, %q mask %m scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}

// -----
!q = tensor<?x1x?x4xf32, #heddle.dims<batch, 1, s, 4>>
!i = tensor<?x?xi32, #heddle.dims<batch, s>>
!p = tensor<?x?x?xi32, #heddle.dims<batch, s, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
// What is a tensor of pairs by nature stays one, without the part that is not.
// CHECK-LABEL: func.func @rest
// CHECK-DAG: heddle.mask_causal
// CHECK-DAG: heddle.mask_tensor %arg1
func.func @rest(%q: !q, %given: !b) -> !q {
  %positions = heddle.positions : !i
  %i = heddle.broadcast %positions along [0, 1] : !i -> !p
  %j = heddle.broadcast %positions along [0, 2] : !i -> !p
  %causal = arith.cmpi sle, %j, %i : !p
  %seen = arith.andi %given, %causal : !b
  // expected-remark @+1 {{mask_causal}}
  %m = heddle.mask_tensor %seen : !b
  %o = heddle.attention %q, %q, %q mask %m scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}

// -----
!q = tensor<?x1x?x4xf32, #heddle.dims<batch, 1, s, 4>>
!i = tensor<?x?xi32, #heddle.dims<batch, s>>
!p = tensor<?x?x?xi32, #heddle.dims<batch, s, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
// Equal parity, a key that is far ahead, a choice between two masks: no mask of positions says that.
// CHECK-LABEL: func.func @no_masks
// CHECK-COUNT-3: heddle.mask_tensor
// CHECK-NOT: heddle.mask_causal
func.func @no_masks(%q: !q, %given: !b) -> (!q, !q, !q) {
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %ones = heddle.broadcast %one along [] : i32 -> !p
  %threes = heddle.broadcast %three along [] : i32 -> !p
  %positions = heddle.positions : !i
  %i = heddle.broadcast %positions along [0, 1] : !i -> !p
  %j = heddle.broadcast %positions along [0, 2] : !i -> !p
  %sum = arith.addi %i, %j : !p
  %parity = arith.andi %sum, %ones : !p
  %odd = arith.cmpi eq, %parity, %ones : !p
  %distance = arith.subi %j, %i : !p
  %ahead = arith.cmpi sgt, %distance, %threes : !p
  %causal = arith.cmpi sle, %j, %i : !p
  %either = arith.ori %given, %causal : !b
  %m0 = heddle.mask_tensor %odd : !b
  %m1 = heddle.mask_tensor %ahead : !b
  %m2 = heddle.mask_tensor %either : !b
  %0 = heddle.attention %q, %q, %q mask %m0 scale 0.5 : !q, !q, !q -> !q
  %1 = heddle.attention %q, %q, %q mask %m1 scale 0.5 : !q, !q, !q -> !q
  %2 = heddle.attention %q, %q, %q mask %m2 scale 0.5 : !q, !q, !q -> !q
  return %0, %1, %2 : !q, !q, !q
}

// -----
!q = tensor<?x1x?x4xf32, #heddle.dims<batch, 1, s, 4>>
!p = tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
// CHECK-LABEL: func.func @no_masks_of_finite_numbers
// CHECK: heddle.bias_tensor
func.func @no_masks_of_finite_numbers(%q: !q, %seen: !b) -> !q {
  %z = arith.constant 0.0 : f64
  %n = arith.constant -1.0e9 : f64
  %zero = heddle.broadcast %z along [] : f64 -> !p
  %low = heddle.broadcast %n along [] : f64 -> !p
  // expected-remark @+1 {{-1000000000 is added to hidden scores, a number like any other}}
  %hidden = arith.select %seen, %zero, %low : !b, !p
  %m = heddle.bias_tensor %hidden : !p
  %o = heddle.attention %q, %q, %q mask %m scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}

// -----
!q = tensor<?x1x?x4xf32, #heddle.dims<batch, 1, s, 4>>
!i = tensor<?x?xi32, #heddle.dims<batch, s>>
!p = tensor<?x?x?xi32, #heddle.dims<batch, s, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
// causal or not hidden, decided for all of a row when running: its prefix is everything, or nothing.
// CHECK-LABEL: func.func @whole_rows
// CHECK: %[[LENGTHS:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi1, #heddle.dims<batch>>, tensor<?xi32, #heddle.dims<batch>>
// CHECK: heddle.mask_prefix %[[LENGTHS]]
// CHECK-NOT: heddle.mask_tensor
func.func @whole_rows(%q: !q, %open: tensor<i1, #heddle.dims<>>) -> !q {
  %positions = heddle.positions : !i
  %i = heddle.broadcast %positions along [0, 1] : !i -> !p
  %j = heddle.broadcast %positions along [0, 2] : !i -> !p
  %causal = arith.cmpi sle, %j, %i : !p
  %all = heddle.broadcast %open along [] : tensor<i1, #heddle.dims<>> -> !b
  %seen = arith.ori %causal, %all : !b
  // expected-remark @+1 {{mask_prefix}}
  %m = heddle.mask_tensor %seen : !b
  %o = heddle.attention %q, %q, %q mask %m scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}

// -----
!q = tensor<?x1x?x4xf32, #heddle.dims<batch, 1, s, 4>>
!i = tensor<?x?xi32, #heddle.dims<batch, s>>
!f = tensor<?x?xf32, #heddle.dims<batch, s>>
!p = tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
// Conditions as numbers: products are `and`, 1 - x is `not`, the logarithm of 0 hides; a distance has two sides.
// CHECK-LABEL: func.func @numbers
// CHECK-DAG: heddle.mask_tokens keys
// CHECK-DAG: heddle.mask_window left 3
// CHECK-DAG: heddle.mask_window right 3
// CHECK-NOT: heddle.mask_tensor
// CHECK-NOT: heddle.bias_tensor
func.func @numbers(%q: !q, %padding: tensor<?x?xi1, #heddle.dims<batch, s>>) -> !q {
  %c1 = arith.constant 1.0 : f64
  %c3 = arith.constant 3.0 : f64
  %one = heddle.broadcast %c1 along [] : f64 -> !f
  %three = heddle.broadcast %c3 along [] : f64 -> !p
  %hidden = arith.uitofp %padding : tensor<?x?xi1, #heddle.dims<batch, s>> to !f
  %real = arith.subf %one, %hidden : !f
  %keys = heddle.broadcast %real along [0, 2] : !f -> !p
  %positions = heddle.positions : !i
  %floats = arith.sitofp %positions : !i to !f
  %i = heddle.broadcast %floats along [0, 1] : !f -> !p
  %j = heddle.broadcast %floats along [0, 2] : !f -> !p
  %difference = arith.subf %i, %j : !p
  %distance = math.absf %difference : !p
  %near = arith.cmpf olt, %distance, %three : !p
  %nears = arith.uitofp %near : !b to !p
  %both = arith.mulf %nears, %keys : !p
  %added = math.log %both : !p
  // expected-remark @+2 {{mask_window}}
  // expected-remark @+1 {{mask_tokens}}
  %m = heddle.bias_tensor %added : !p
  %o = heddle.attention %q, %q, %q mask %m scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}

// -----
!q = tensor<?x1x?x4xf32, #heddle.dims<batch, 1, s, 4>>
!f = tensor<?x?xf32, #heddle.dims<batch, s>>
!p = tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
// What is added to all scores of a key is a vector a row, finite numbers too.
// CHECK-LABEL: func.func @keys
// CHECK: heddle.bias_tokens %{{.*}} : tensor<?x?xf32, #heddle.dims<batch, s>>
// CHECK-NOT: heddle.bias_tensor
func.func @keys(%q: !q, %given: !f, %padding: tensor<?x?xi1, #heddle.dims<batch, s>>) -> !q {
  %n = arith.constant -1.0e4 : f64
  %low = heddle.broadcast %n along [] : f64 -> !f
  %hidden = arith.uitofp %padding : tensor<?x?xi1, #heddle.dims<batch, s>> to !f
  %lowest = arith.mulf %hidden, %low : !f
  %0 = heddle.broadcast %lowest along [0, 2] : !f -> !p
  %1 = heddle.broadcast %given along [0, 2] : !f -> !p
  %sum = arith.subf %0, %1 : !p
  // expected-remark @+2 {{-10000 is added to hidden scores, a number like any other}}
  // expected-remark @+1 {{bias_tokens}}
  %m = heddle.bias_tensor %sum : !p
  %o = heddle.attention %q, %q, %q mask %m scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}
