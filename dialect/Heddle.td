// The heddle dialect: Transformers as mathematics. One file per family; this one only gathers them.
include "dialect/Attributes.td"
include "dialect/Recipes.td"
include "dialect/Masks.td"
include "dialect/Weights.td"
include "dialect/Movement.td"
include "dialect/Products.td"
include "dialect/Rows.td"
include "dialect/Attention.td"
