// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1(%q: tensor<?x16xf32, #heddle.dims<s, 16>>) {
  // expected-error @+1 {{expected queries and keys of as many axes, three at least; three with rows, and four beside rows; got #heddle.dims<s, 16> and #heddle.dims<s, 16>}}
  %0 = heddle.attention %q, %q, %q scale 1.0 : tensor<?x16xf32, #heddle.dims<s, 16>>, tensor<?x16xf32, #heddle.dims<s, 16>>, tensor<?x16xf32, #heddle.dims<s, 16>> -> tensor<?x16xf32, #heddle.dims<s, 16>>
  return
}
// -----
func.func @attention_c2_width(%q: tensor<4x?x16xf32, #heddle.dims<4, s, 16>>, %k: tensor<4x?x8xf32, #heddle.dims<4, t, 8>>) {
  // expected-error @+1 {{query and key differ in width: #heddle.dims<16> and #heddle.dims<8>}}
  %0 = heddle.attention %q, %k, %k scale 1.0 : tensor<4x?x16xf32, #heddle.dims<4, s, 16>>, tensor<4x?x8xf32, #heddle.dims<4, t, 8>>, tensor<4x?x8xf32, #heddle.dims<4, t, 8>> -> tensor<4x?x8xf32, #heddle.dims<4, s, 8>>
  return
}
// -----
func.func @attention_c2_tokens(%q: tensor<4x?x16xf32, #heddle.dims<4, s, 16>>, %k: tensor<4x?x16xf32, #heddle.dims<4, t, 16>>) {
  // expected-error @+1 {{keys and values differ in number: #heddle.dims<t> and #heddle.dims<s>}}
  %0 = heddle.attention %q, %k, %q scale 1.0 : tensor<4x?x16xf32, #heddle.dims<4, s, 16>>, tensor<4x?x16xf32, #heddle.dims<4, t, 16>>, tensor<4x?x16xf32, #heddle.dims<4, s, 16>> -> tensor<4x?x16xf32, #heddle.dims<4, s, 16>>
  return
}
// -----
func.func @attention_c3(%q: tensor<4x?x16xf32, #heddle.dims<4, s, 16>>, %k: tensor<3x?x16xf32, #heddle.dims<3, t, 16>>) {
  // expected-error @+1 {{expected heads to be a multiple of key heads, got 4 and 3}}
  %0 = heddle.attention %q, %k, %k scale 1.0 : tensor<4x?x16xf32, #heddle.dims<4, s, 16>>, tensor<3x?x16xf32, #heddle.dims<3, t, 16>>, tensor<3x?x16xf32, #heddle.dims<3, t, 16>> -> tensor<4x?x16xf32, #heddle.dims<4, s, 16>>
  return
}
// -----
func.func @attention_c4(%q: tensor<?x4x?x16xf32, #heddle.dims<b, 4, s, 16>>, %k: tensor<?x4x?x16xf32, #heddle.dims<c, 4, t, 16>>) {
  // expected-error @+1 {{expected leading extents #heddle.dims<b> everywhere}}
  %0 = heddle.attention %q, %k, %k scale 1.0 : tensor<?x4x?x16xf32, #heddle.dims<b, 4, s, 16>>, tensor<?x4x?x16xf32, #heddle.dims<c, 4, t, 16>>, tensor<?x4x?x16xf32, #heddle.dims<c, 4, t, 16>> -> tensor<?x4x?x16xf32, #heddle.dims<b, 4, s, 16>>
  return
}
// -----
!k = tensor<?x2x7x16xf32, #heddle.dims<other, 2, 7, 16>>
!q = tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>
!o = tensor<?xi64, #heddle.dims<batch + 1>>
!s = tensor<?xi64, #heddle.dims<batch>>
func.func @attention_c4_rows(%q: !q, %k: !k, %o: !o, %s: !s) {
  // expected-error @+1 {{expected queries and keys of one batch, got #heddle.dims<s.tokens, 4, 16> and #heddle.dims<other, 2, 7, 16>}}
  %0 = heddle.attention %q, %k, %k scale 1.0 queries %o, %s : !o, !s : !q, !k, !k -> !q
  return
}
// -----
func.func @mask_tensor_c1(%v: tensor<?x?xf32, #heddle.dims<s, t>>) {
  // expected-error @+1 {{expected elements of i1, got 'f32'}}
  %0 = heddle.mask_tensor %v : tensor<?x?xf32, #heddle.dims<s, t>>
  return
}
// -----
func.func @mask_tensor_c2(%v: tensor<?xi1, #heddle.dims<s>>) {
  // expected-error @+1 {{expected 2 to 4 named axes, got 'tensor<?xi1, #heddle.dims<s>>'}}
  %0 = heddle.mask_tensor %v : tensor<?xi1, #heddle.dims<s>>
  return
}
// -----
func.func @mask_values_c1() {
  // expected-error @+1 {{expected [batch, query, key] of i1 with named extents}}
  %0 = heddle.mask_values : tensor<?x?xi1, #heddle.dims<s, t>>
  return
}
// -----
!s = tensor<?x2x7xf32, #heddle.dims<s.tokens, 2, 7>>
func.func @mask_scores_c3(%s: !s, %o: tensor<?xi64, #heddle.dims<batch + 1>>, %a: tensor<?xi64, #heddle.dims<batch>>) {
  %m = heddle.mask_causal
  // expected-error @+1 {{expected offsets of the batch of #heddle.dims<s.tokens, 2, 7>, got #heddle.dims<batch + 1>}}
  %0 = heddle.mask_scores %s, %m queries %o, %a : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> : !s
  return
}
// -----
!s = tensor<?x?x7xi1, #heddle.dims<other, s, 7>>
func.func @mask_values_c3(%o: tensor<?xi64, #heddle.dims<batch + 1>>, %a: tensor<?xi64, #heddle.dims<batch>>) {
  // expected-error @+1 {{expected offsets of the batch of #heddle.dims<other, s, 7>, got #heddle.dims<batch + 1>}}
  %0 = heddle.mask_values queries %o, %a : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> : !s
  return
}
// -----
func.func @attention_c3_width(%q: tensor<4x?x?xf32, #heddle.dims<4, s, w>>, %k: tensor<4x?x?xf32, #heddle.dims<4, t, w>>) {
  // expected-error @+1 {{expected static heads and widths}}
  %0 = heddle.attention %q, %k, %k scale 1.0 : tensor<4x?x?xf32, #heddle.dims<4, s, w>>, tensor<4x?x?xf32, #heddle.dims<4, t, w>>, tensor<4x?x?xf32, #heddle.dims<4, t, w>> -> tensor<4x?x?xf32, #heddle.dims<4, s, w>>
  return
}
// -----
func.func @attention_c5(%q: tensor<4x?x16xf32, #heddle.dims<4, s, 16>>, %k: tensor<4x?x16xf64, #heddle.dims<4, t, 16>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'f64'}}
  %0 = heddle.attention %q, %k, %k scale 1.0 : tensor<4x?x16xf32, #heddle.dims<4, s, 16>>, tensor<4x?x16xf64, #heddle.dims<4, t, 16>>, tensor<4x?x16xf64, #heddle.dims<4, t, 16>> -> tensor<4x?x16xf32, #heddle.dims<4, s, 16>>
  return
}
// -----
func.func @attention_names(%q: tensor<4x8x16xf32>) {
  // expected-error @+1 {{expected named extents}}
  %0 = heddle.attention %q, %q, %q scale 1.0 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32> -> tensor<4x8x16xf32>
  return
}
// -----
func.func @mask_window_c1() {
  // expected-error @+1 {{expected a limit of 0 or more, got -1}}
  %0 = heddle.mask_window left -1
  return
}
// -----
func.func @softcap_c1() {
  // expected-error @+1 {{expected a cap above 0}}
  %0 = heddle.softcap 0.0
  return
}
// -----
func.func @bias_tensor_c1(%v: tensor<?x?xi32, #heddle.dims<s, t>>) {
  // expected-error @+1 {{expected elements of floats, got 'i32'}}
  %0 = heddle.bias_tensor %v : tensor<?x?xi32, #heddle.dims<s, t>>
  return
}
// -----
func.func @bias_tensor_c2(%v: tensor<?x?x?x?x?xf32, #heddle.dims<a, b, c, s, t>>) {
  // expected-error @+1 {{expected 2 to 4 named axes, got}}
  %0 = heddle.bias_tensor %v : tensor<?x?x?x?x?xf32, #heddle.dims<a, b, c, s, t>>
  return
}
// -----
func.func @bias_relative_c1(%t: tensor<4x6xf32, #heddle.dims<4, 6>>) {
  // expected-error @+1 {{expected a static table [heads, 2 reach + 1] of floats}}
  %0 = heddle.bias_relative %t : tensor<4x6xf32, #heddle.dims<4, 6>>
  return
}
// -----
func.func @mask_scores_c1(%x: tensor<?xf32, #heddle.dims<t>>, %m: !heddle.mask) {
  // expected-error @+1 {{expected 2 to 4 named axes of floats}}
  %0 = heddle.mask_scores %x, %m : tensor<?xf32, #heddle.dims<t>>
  return
}
// -----
func.func @mask_scores_c2(%x: tensor<?x?x?xf32, #heddle.dims<batch, s, t>>, %m: !heddle.mask, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{offsets and starts come together}}
  %0 = "heddle.mask_scores"(%x, %m, %o) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<?x?x?xf32, #heddle.dims<batch, s, t>>, !heddle.mask, tensor<?xi64, #heddle.dims<batch + 1>>) -> tensor<?x?x?xf32, #heddle.dims<batch, s, t>>
  return
}
// -----
func.func @mask_values_c2(%o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{offsets and starts come together}}
  %0 = "heddle.mask_values"(%o) {operandSegmentSizes = array<i32: 0, 0, 0, 1, 0>} : (tensor<?xi64, #heddle.dims<batch + 1>>) -> tensor<?x?x?xi1, #heddle.dims<batch, s, t>>
  return
}
// -----
func.func @attention_c1_starts(%q: tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{offsets and starts come together}}
  %0 = "heddle.attention"(%q, %q, %q, %o) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>, scale = 1.0} : (tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>, tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>, tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>, tensor<?xi64, #heddle.dims<batch + 1>>) -> tensor<?x4x16xf32, #heddle.dims<s.tokens, 4, 16>>
  return
}
// -----
func.func @mask_tensor_c2_names(%v: tensor<4x4xi1>) {
  // expected-error @+1 {{expected 2 to 4 named axes, got 'tensor<4x4xi1>'}}
  %0 = heddle.mask_tensor %v : tensor<4x4xi1>
  return
}
// -----
func.func @bias_relative_c1_names(%t: tensor<4x5xf32>) {
  // expected-error @+1 {{with named extents}}
  %0 = heddle.bias_relative %t : tensor<4x5xf32>
  return
}
// -----
func.func @mask_prefix_c1(%n: tensor<?x?xi32, #heddle.dims<batch, s>>) {
  // expected-error @+1 {{expected lengths [batch] of i32 with a named extent, got}}
  %0 = heddle.mask_prefix %n : tensor<?x?xi32, #heddle.dims<batch, s>>
  return
}
// -----
func.func @mask_segments_c1(%a: tensor<?x?xi32, #heddle.dims<batch, s>>, %b: tensor<?x?xf32, #heddle.dims<batch, t>>) {
  // expected-error @+1 {{expected i32 of [batch, tokens] or [tokens] with named extents, got 'tensor<?x?xf32}}
  %0 = heddle.mask_segments %a, %b : tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<?x?xf32, #heddle.dims<batch, t>>
  return
}
// -----
func.func @mask_tokens_c1(%a: tensor<?x?xi32, #heddle.dims<batch, s>>) {
  // expected-error @+1 {{expected i1 of [batch, tokens] or [tokens] with named extents, got 'tensor<?x?xi32}}
  %0 = heddle.mask_tokens keys %a : tensor<?x?xi32, #heddle.dims<batch, s>>
  return
}
// -----
func.func @mask_tokens_c1_none() {
  // expected-error @+1 {{expected queries or keys}}
  %0 = heddle.mask_tokens
  return
}
// -----
func.func @bias_alibi_c1(%s: tensor<?xf32, #heddle.dims<s>>) {
  // expected-error @+1 {{expected static slopes [heads] of floats with a named extent, got}}
  %0 = heddle.bias_alibi %s : tensor<?xf32, #heddle.dims<s>>
  return
}
// -----
func.func @bias_tokens_c1(%a: tensor<?x?xi32, #heddle.dims<batch, s>>) {
  // expected-error @+1 {{expected floats of [batch, tokens] or [tokens] with named extents, got 'tensor<?x?xi32}}
  %0 = heddle.bias_tokens %a : tensor<?x?xi32, #heddle.dims<batch, s>>
  return
}
