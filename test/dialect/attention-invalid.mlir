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
  // expected-error @+1 {{expected 2 to 4 axes, got 1}}
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
