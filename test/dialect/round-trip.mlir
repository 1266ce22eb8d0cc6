// Every op, attribute and type prints as it is read.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// No op prints two blanks.
// RUN: heddle-opt %s | not grep '[^ ]  [^ ]'

// CHECK: heddle.weight @w : tensor<64x24xf32, #heddle.dims<64, 24>> = #heddle.transpose<#heddle.tensor<"w", tensor<24x64xf32>>, [1, 0]>
heddle.weight @w : tensor<64x24xf32, #heddle.dims<64, 24>> = #heddle.transpose<#heddle.tensor<"w", tensor<24x64xf32>>, [1, 0]>
// CHECK: heddle.weight @merged {{.*}} = #heddle.concat<1, #heddle.tensor<"a", tensor<4x2xf32>>, #heddle.slice<#heddle.tensor<"b", tensor<4x6xf32>>, 1, 2, 3>> {storage = #heddle.storage<parameter>}
heddle.weight @merged : tensor<4x5xf32, #heddle.dims<4, 5>> = #heddle.concat<1, #heddle.tensor<"a", tensor<4x2xf32>>, #heddle.slice<#heddle.tensor<"b", tensor<4x6xf32>>, 1, 2, 3>> {storage = #heddle.storage<parameter>}
// CHECK: #heddle.cast<#heddle.angles<[1.000000e+00, 1.000000e-02], 128, 4, interleaved>, f32>
heddle.weight @angles : tensor<128x4xf32, #heddle.dims<128, 4>> = #heddle.cast<#heddle.angles<[1.0, 0.01], 128, 4, interleaved>, f32>
// Every bit of a frequency is printed.
// CHECK: #heddle.angles<[0.74989420933245587], 2, 2, halves>
heddle.weight @bits : tensor<2x2xf64, #heddle.dims<2, 2>> = #heddle.angles<[0.74989420933245587], 2, 2, halves>
// CHECK: #heddle.pad<#heddle.cast<#heddle.constant<dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf64>>, f32>, 32>
heddle.weight @constant : tensor<32xf32, #heddle.dims<32>> = #heddle.pad<#heddle.cast<#heddle.constant<dense<[1.0, 0.5]> : tensor<2xf64>>, f32>, 32>
// CHECK: heddle.weight @number : tensor<f32, #heddle.dims<>> = #heddle.reshape<#heddle.tensor<"e", tensor<1xf32>>, []>
heddle.weight @number : tensor<f32, #heddle.dims<>> = #heddle.reshape<#heddle.tensor<"e", tensor<1xf32>>, []>
// CHECK: #heddle.scale<#heddle.add<#heddle.select<#heddle.tensor<"d", tensor<4x2xf32>>, 0, [0, 0, 3]>, 1.000000e+00{{.*}}>, 8.000000e+00{{.*}}>
heddle.weight @numbers : tensor<3x2xf32, #heddle.dims<3, 2>> = #heddle.scale<#heddle.add<#heddle.select<#heddle.tensor<"d", tensor<4x2xf32>>, 0, [0, 0, 3]>, 1.0>, 8.0>
// CHECK: #heddle.pack<#heddle.reshape<#heddle.tensor<"c", tensor<2x3x40xf32>>, [6, 40]>, 32>
heddle.weight @panels : tensor<2x6x32xf32, #heddle.dims<2, 6, 32>> = #heddle.pack<#heddle.reshape<#heddle.tensor<"c", tensor<2x3x40xf32>>, [6, 40]>, 32>

// Extents are canonical: names sorted, sums in one order.
// CHECK-LABEL: @extents
// CHECK-SAME: tensor<?x?xf32, #heddle.dims<past + sequence, (batch * 4) floordiv 3>>
func.func @extents(%x: tensor<?x?xf32, #heddle.dims<sequence + past, (4 * batch) floordiv 3>>) { return }

// CHECK-LABEL: @entry
// CHECK-SAME: heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch" bound 128>]
func.func @entry(%ids: tensor<?x?xi32, #heddle.dims<batch, s>>, %x: tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>, %v: tensor<?x?x?xi1, #heddle.dims<batch, s, s>>,
    %table: tensor<24x64xf32, #heddle.dims<24, 64>>, %vector: tensor<64xf32, #heddle.dims<64>>, %two: f64, %scores: tensor<?x?x?xf32, #heddle.dims<batch, s, s>>,
    %lengths: tensor<?xi32, #heddle.dims<batch>>, %flags: tensor<?x?xi1, #heddle.dims<batch, s>>, %slopes: tensor<4xf32, #heddle.dims<4>>)
    attributes {heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch" bound 128>]} {
  // CHECK: heddle.use @w
  %w = heddle.use @w : tensor<64x24xf32, #heddle.dims<64, 24>>
  // CHECK: heddle.broadcast %{{.*}} along [2]
  %b = heddle.broadcast %vector along [2] : tensor<64xf32, #heddle.dims<64>> -> tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>
  // CHECK: heddle.broadcast %{{.*}} along []
  %c = heddle.broadcast %two along [] : f64 -> tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>
  // CHECK: heddle.reshape
  %r = heddle.reshape %x : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?x4x16xf32, #heddle.dims<batch, s, 4, 16>>
  // CHECK: heddle.transpose %{{.*}} [0, 2, 1, 3]
  %q = heddle.transpose %r [0, 2, 1, 3] : tensor<?x?x4x16xf32, #heddle.dims<batch, s, 4, 16>> -> tensor<?x4x?x16xf32, #heddle.dims<batch, 4, s, 16>>
  // CHECK: heddle.slice %{{.*}} axis 2 from 16
  %t = heddle.slice %x axis 2 from 16 : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?x32xf32, #heddle.dims<batch, s, 32>>
  // CHECK: heddle.concat %{{.*}}, %{{.*}} axis 2
  %cc = heddle.concat %t, %x axis 2 : tensor<?x?x32xf32, #heddle.dims<batch, s, 32>>, tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?x96xf32, #heddle.dims<batch, s, 96>>
  // CHECK: heddle.gather %{{.*}}[%{{.*}}]
  %g = heddle.gather %table[%ids] : tensor<24x64xf32, #heddle.dims<24, 64>>, tensor<?x?xi32, #heddle.dims<batch, s>> -> tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>
  // CHECK: heddle.matmul
  %m = heddle.matmul %x, %w : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>, tensor<64x24xf32, #heddle.dims<64, 24>> -> tensor<?x?x24xf32, #heddle.dims<batch, s, 24>>
  // CHECK: heddle.linear %{{.*}}, %{{.*}} :
  %l = heddle.linear %x, %w : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>, tensor<64x24xf32, #heddle.dims<64, 24>> -> tensor<?x?x24xf32, #heddle.dims<batch, s, 24>>
  // CHECK: heddle.sum %{{.*}} over [2]
  %sum = heddle.sum %x over [2] : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?xf32, #heddle.dims<batch, s>>
  // CHECK: heddle.softmax %{{.*}} axis 2
  %p = heddle.softmax %x axis 2 : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>
  // CHECK: heddle.layer_norm %{{.*}}, %{{.*}} bias %{{.*}} epsilon 1.000000e-05
  %n = heddle.layer_norm %x, %vector bias %vector epsilon 1.0e-5 : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>, tensor<64xf32, #heddle.dims<64>>, tensor<64xf32, #heddle.dims<64>>
  // CHECK: heddle.positions :
  %pos = heddle.positions : tensor<?x?xi32, #heddle.dims<batch, s>>
  // CHECK: heddle.sinusoidal_positions %{{.*}} frequencies [1.000000e+00, 1.000000e-02] interleaved shift 1
  %sin = heddle.sinusoidal_positions %pos frequencies [1.0, 0.01] interleaved shift 1 : tensor<?x?xi32, #heddle.dims<batch, s>> -> tensor<?x?x3xf32, #heddle.dims<batch, s, 3>>
  // CHECK: heddle.gelu %{{.*}} tanh :
  %gelu = heddle.gelu %x tanh : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>
  // CHECK: heddle.max %{{.*}} over [2]
  %max = heddle.max %x over [2] : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?xf32, #heddle.dims<batch, s>>
  // CHECK: heddle.min %{{.*}} over [2]
  %min = heddle.min %x over [2] : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?xf32, #heddle.dims<batch, s>>
  // CHECK: heddle.mean %{{.*}} over [2]
  %mean = heddle.mean %x over [2] : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?xf32, #heddle.dims<batch, s>>
  // CHECK: heddle.var %{{.*}} over [2]
  %var = heddle.var %x over [2] : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?xf32, #heddle.dims<batch, s>>
  // CHECK: heddle.rms_norm %{{.*}}, %{{.*}} epsilon 5.000000e-01
  %rms = heddle.rms_norm %x, %vector epsilon 0.5 : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>, tensor<64xf32, #heddle.dims<64>>
  // CHECK: heddle.silu %
  %silu = heddle.silu %x : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>
  // CHECK: heddle.rotary_embedding %{{.*}}, %{{.*}} halves gain 5.000000e-01
  %angles = heddle.sinusoidal_positions %pos frequencies [1.0, 0.01] halves shift 0 : tensor<?x?xi32, #heddle.dims<batch, s>> -> tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  %turned = heddle.rotary_embedding %x, %angles halves gain 0.5 : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>, tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  // CHECK: heddle.windows %{{.*}} axis 2 size 3 stride 2 padding 1
  %windows = heddle.windows %x axis 2 size 3 stride 2 padding 1 : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x?x32x3xf32, #heddle.dims<batch, s, 32, 3>>
  // CHECK: heddle.pick %{{.*}} last
  %last = heddle.pick %x last : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x64xf32, #heddle.dims<batch, 64>>
  // CHECK: heddle.gather %{{.*}}[%{{.*}}] transposed
  %gt = heddle.gather %w[%ids] transposed : tensor<64x24xf32, #heddle.dims<64, 24>>, tensor<?x?xi32, #heddle.dims<batch, s>> -> tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>
  // CHECK: heddle.mask_window left 3 right 2
  %window = heddle.mask_window left 3 right 2
  // CHECK: heddle.mask_window right 1
  %right = heddle.mask_window right 1
  // CHECK: heddle.softcap 5.000000e+01
  %cap = heddle.softcap 50.0
  // CHECK: heddle.bias_relative
  %distances = heddle.slice %table axis 0 from 0 : tensor<24x64xf32, #heddle.dims<24, 64>> -> tensor<4x64xf32, #heddle.dims<4, 64>>
  %odd = heddle.slice %distances axis 1 from 0 : tensor<4x64xf32, #heddle.dims<4, 64>> -> tensor<4x33xf32, #heddle.dims<4, 33>>
  %relative = heddle.bias_relative %odd : tensor<4x33xf32, #heddle.dims<4, 33>>
  // CHECK: heddle.bias_tensor
  %bias = heddle.bias_tensor %scores : tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
  // CHECK: heddle.mask_scores %{{.*}}, %{{.*}} :
  %masked = heddle.mask_scores %scores, %window : tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
  // CHECK: heddle.mask_causal
  %causal = heddle.mask_causal
  // CHECK: heddle.mask_tensor
  %given = heddle.mask_tensor %v : tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
  // CHECK: heddle.mask_prefix %{{.*}} : tensor<?xi32
  %first = heddle.mask_prefix %lengths : tensor<?xi32, #heddle.dims<batch>>
  // CHECK: heddle.mask_segments %{{.*}}, %{{.*}} :
  %texts = heddle.mask_segments %ids, %ids : tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<?x?xi32, #heddle.dims<batch, s>>
  // CHECK: heddle.mask_tokens queries %{{.*}} : {{.*}} keys
  %sides = heddle.mask_tokens queries %flags : tensor<?x?xi1, #heddle.dims<batch, s>> keys %flags : tensor<?x?xi1, #heddle.dims<batch, s>>
  // CHECK: heddle.mask_tokens keys
  %oneSide = heddle.mask_tokens keys %flags : tensor<?x?xi1, #heddle.dims<batch, s>>
  // CHECK: heddle.bias_tokens %
  %paddings = arith.uitofp %flags : tensor<?x?xi1, #heddle.dims<batch, s>> to tensor<?x?xf32, #heddle.dims<batch, s>>
  %added = heddle.bias_tokens %paddings : tensor<?x?xf32, #heddle.dims<batch, s>>
  // CHECK: heddle.bias_alibi %{{.*}} : tensor<4xf32
  %slope = heddle.bias_alibi %slopes : tensor<4xf32, #heddle.dims<4>>
  // CHECK: heddle.mask_and
  %both = heddle.mask_and %causal, %given
  // CHECK: heddle.mask_values %{{.*}} :
  %values = heddle.mask_values %both : tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
  // CHECK: heddle.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale 2.500000e-01
  %a = heddle.attention %q, %q, %q mask %both scale 0.25 : tensor<?x4x?x16xf32, #heddle.dims<batch, 4, s, 16>>, tensor<?x4x?x16xf32, #heddle.dims<batch, 4, s, 16>>, tensor<?x4x?x16xf32, #heddle.dims<batch, 4, s, 16>> -> tensor<?x4x?x16xf32, #heddle.dims<batch, 4, s, 16>>
  return
}

// The forms on rows of tokens, as the graph stage makes them.
// CHECK-LABEL: @rows
func.func @rows(%ids: tensor<?x?xi32, #heddle.dims<batch, s>>, %q: tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>, %kv: tensor<?x2x16xf32, #heddle.dims<s.tokens, 2, 16>>,
    %still: tensor<?x2x9x16xf32, #heddle.dims<batch, 2, 9, 16>>, %offsets: tensor<?xi64, #heddle.dims<batch + 1>>, %starts: tensor<?xi64, #heddle.dims<batch>>,
    %scores: tensor<?x4x?xf32, #heddle.dims<batch, 4, s>>, %padded: tensor<?x?x16xf32, #heddle.dims<batch, s, 16>>, %pairs: tensor<?x?x?xf32, #heddle.dims<batch, s, s>>) {
  // CHECK: heddle.flatten %{{.*}} rows
  %t = heddle.flatten %ids rows %offsets : tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?xi32, #heddle.dims<s.tokens>>
  // CHECK: heddle.unflatten %{{.*}} rows
  %u = heddle.unflatten %t rows %offsets : tensor<?xi32, #heddle.dims<s.tokens>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x?xi32, #heddle.dims<batch, s>>
  // CHECK: heddle.positions rows %{{.*}}, %{{.*}} :
  %p = heddle.positions rows %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> : tensor<?xi32, #heddle.dims<s.tokens>>
  // CHECK: heddle.mask_values queries %{{.*}}, %{{.*}} : {{.*}} keys %{{.*}}, %{{.*}} :
  %v = heddle.mask_values queries %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> keys %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> : tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
  // CHECK: heddle.attention {{.*}} queries {{.*}} keys
  %a = heddle.attention %q, %kv, %kv scale 0.25 queries %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> keys %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> : tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>, tensor<?x2x16xf32, #heddle.dims<s.tokens, 2, 16>>, tensor<?x2x16xf32, #heddle.dims<s.tokens, 2, 16>> -> tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>
  // Each side has rows or not.
  // CHECK: heddle.attention {{.*}} queries %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> :
  %b = heddle.attention %q, %still, %still scale 0.25 queries %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> : tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>, tensor<?x2x9x16xf32, #heddle.dims<batch, 2, 9, 16>>, tensor<?x2x9x16xf32, #heddle.dims<batch, 2, 9, 16>> -> tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>
  // CHECK: heddle.mean %{{.*}} over [0] rows
  %mean = heddle.mean %q over [0] rows %offsets : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>> -> tensor<?x4x16xf32, #heddle.dims<batch, 4, 16>>
  // CHECK: heddle.softmax %{{.*}} axis 2 rows
  %soft = heddle.softmax %scores axis 2 rows %offsets : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x4x?xf32, #heddle.dims<batch, 4, s>>
  // CHECK: heddle.matmul %{{.*}}, %{{.*}} rows
  %product = heddle.matmul %scores, %padded rows %offsets : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x4x?xf32, #heddle.dims<batch, 4, s>>, tensor<?x?x16xf32, #heddle.dims<batch, s, 16>> -> tensor<?x4x16xf32, #heddle.dims<batch, 4, 16>>
  // CHECK: heddle.pick %{{.*}} rows
  %first = heddle.pick %q rows %offsets : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>> -> tensor<?x4x16xf32, #heddle.dims<batch, 4, 16>>
  // CHECK: heddle.spread %{{.*}} rows
  %spread = heddle.spread %first rows %offsets : tensor<?x4x16xf32, #heddle.dims<batch, 4, 16>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>
  // CHECK: heddle.mask_scores {{.*}} queries {{.*}} keys
  %causal = heddle.mask_causal
  %masked = heddle.mask_scores %pairs, %causal queries %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> keys %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> : tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
  return
}
