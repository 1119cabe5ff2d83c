// SPDX-License-Identifier: Apache-2.0
#include "io/json/json.h"

namespace opref::io {

std::string_view json_schema() {
  return R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "opref case or recipe",
  "anyOf": [
    {"$ref": "#/$defs/case"},
    {
      "description": "Several cases, at most 1000 with those of their opsets: FILE#1, FILE#2, …",
      "type": "array",
      "items": {"$ref": "#/$defs/case"},
      "minItems": 1,
      "maxItems": 1000
    },
    {"$ref": "#/$defs/recipe"},
    {"description": "Several recipes", "type": "array", "items": {"$ref": "#/$defs/recipe"}, "minItems": 1},
    {"$ref": "#/$defs/shared_recipes"}
  ],
  "$defs": {
    "case": {
      "description": "One operator with its tensors, and its expected outputs or its expected rejection. Beyond what a schema can say, integers are written without a point, lists of data are not ragged, have at most 16 axes, and have as many elements as a shape beside them; no object has a key twice.",
      "type": "object",
      "properties": {
        "op_type": {"description": "The operator: LpPool", "type": "string", "minLength": 1},
        "domain": {"description": "The operator's domain; ai.onnx where absent", "type": "string"},
        "opset": {
          "description": "The opset of the domain; the newest known where absent. A list is one case for each: FILE#opset=11",
          "anyOf": [
            {"$ref": "#/$defs/positive"},
            {
              "type": "array",
              "items": {"$ref": "#/$defs/positive"},
              "minItems": 1,
              "maxItems": 1000,
              "uniqueItems": true
            }
          ]
        },
        "name": {"description": "The node's name, for messages", "type": "string"},
        "seed": {"description": "Of generated inputs that state none; 1 where absent", "$ref": "#/$defs/seed"},
        "attributes": {
          "description": "By name; a number is rounded once to the attribute's type, a graph is ONNX text, null says that the attribute is absent",
          "type": "object",
          "additionalProperties": {
            "anyOf": [
              {"$ref": "#/$defs/attribute"},
              {"type": "array", "items": {"$ref": "#/$defs/attribute"}},
              {"$ref": "#/$defs/values"},
              {
                "description": "A sparse tensor: flat indices [n], or coordinates [n, rank]",
                "type": "object",
                "properties": {
                  "values": {"$ref": "#/$defs/values"},
                  "indices": {"$ref": "#/$defs/values"},
                  "shape": {"$ref": "#/$defs/shape"}
                },
                "required": ["values", "indices", "shape"],
                "additionalProperties": false
              },
              {"type": "null"}
            ]
          }
        },
        "inputs": {
          "description": "By the specification's names; of a variadic one a list",
          "type": "object",
          "propertyNames": {"minLength": 1},
          "additionalProperties": {
            "anyOf": [
              {"$ref": "#/$defs/input"},
              {"type": "array", "items": {"$ref": "#/$defs/input"}, "minItems": 1}
            ]
          }
        },
        "outputs": {
          "description": "The names of the node's outputs, a variadic one as often as it has outputs; where absent those expected and those that the operator always gives",
          "type": "array",
          "items": {"type": "string", "minLength": 1},
          "minItems": 1
        },
        "expect": {
          "description": "Expected outputs, by the specification's names; of a variadic one a list",
          "type": "object",
          "propertyNames": {"minLength": 1},
          "additionalProperties": {
            "anyOf": [
              {"$ref": "#/$defs/expected"},
              {"type": "array", "items": {"$ref": "#/$defs/expected"}, "minItems": 1}
            ]
          }
        },
        "expect_error": {
          "description": "The expected rejection; both must match",
          "type": "object",
          "properties": {
            "fault": {"enum": ["usage", "malformed", "invalid", "unsupported", "system"]},
            "message": {"description": "The whole first line after 'error: '", "type": "string", "pattern": "^[^\\n]+$"}
          },
          "required": ["fault", "message"],
          "additionalProperties": false
        },
        "tolerance": {
          "description": "When an element passes; exact where absent",
          "anyOf": [
            {
              "description": "The same bits; any NaN equals any NaN",
              "type": "object",
              "properties": {"exact": {"const": true}},
              "required": ["exact"],
              "additionalProperties": false
            },
            {
              "description": "At most so many representable values apart",
              "type": "object",
              "properties": {"ulp": {"$ref": "#/$defs/size"}},
              "required": ["ulp"],
              "additionalProperties": false
            },
            {
              "description": "|actual - expected| <= atol + rtol * |expected|; each is 0 where absent",
              "type": "object",
              "properties": {"rtol": {"$ref": "#/$defs/real"}, "atol": {"$ref": "#/$defs/real"}},
              "minProperties": 1,
              "additionalProperties": false
            },
            {
              "description": "Within the rigorous error bound of a kernel that accumulates in this type",
              "type": "object",
              "properties": {
                "bound": {
                  "type": "object",
                  "properties": {
                    "accumulator": {"enum": ["float32", "float16", "bfloat16", "float64"], "default": "float32"},
                    "flush": {"description": "1: it flushes subnormal numbers to zero", "enum": [0, 1], "default": 0},
                    "input-error": {
                      "description": "The relative error with which it rounds its inputs first: 0, or at least 1e-30",
                      "type": "number", "minimum": 0, "maximum": 1, "default": 0
                    }
                  },
                  "additionalProperties": false
                }
              },
              "required": ["bound"],
              "additionalProperties": false
            }
          ]
        },
        "readings": {
          "description": "Chosen readings of the specification, by name",
          "type": "object",
          "additionalProperties": {"type": "string"}
        },
        "source": {"description": "Where the expected values come from", "type": "string"}
      },
      "required": ["op_type"],
      "not": {"required": ["expect", "expect_error"]},
      "additionalProperties": false
    },
    "recipe": {"$ref": "#/$defs/recipe_of_any", "required": ["op_type"]},
    "shared_recipes": {
      "description": "Each recipe for each of these operators; {\"respectively\": [a, b]} in one is a for the first, b for the second",
      "type": "object",
      "properties": {
        "op_types": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "recipes": {
          "type": "array",
          "items": {"$ref": "#/$defs/recipe_of_any", "not": {"required": ["op_type"]}},
          "minItems": 1
        }
      },
      "required": ["op_types", "recipes"],
      "additionalProperties": false
    },
    "recipe_of_any": {
      "description": "For opref golden: a case in which {\"each\": [v1, v2, …]} may stand for any value; all of them multiply. An input's \"dtype\": \"every\" is each type that the version allows it. An attribute, input or reading that is null is absent.",
      "type": "object",
      "properties": {
        "op_type": {"$ref": "#/$defs/text_or_each"},
        "domain": {"$ref": "#/$defs/text_or_each"},
        "opset": {
          "description": "every: each version of the operator",
          "anyOf": [{"$ref": "#/$defs/positive"}, {"const": "every"}, {"$ref": "#/$defs/each"}]
        },
        "name": {"$ref": "#/$defs/text_or_each"},
        "seed": {"description": "From it and a case's name follows the case's seed; 1 where absent", "$ref": "#/$defs/seed"},
        "attributes": {"type": "object"},
        "inputs": {"type": "object"},
        "outputs": {"anyOf": [{"type": "array"}, {"$ref": "#/$defs/each"}]},
        "readings": {"type": "object"},
        "tolerance": {"type": "object"},
        "where": {
          "description": "Drops a combination in which every path of one entry (attributes.p, inputs.X.dtype, opset) has one of its values; null: absent",
          "type": "array",
          "items": {"type": "object", "additionalProperties": {"type": "array", "minItems": 1}, "minProperties": 1}
        },
        "source": {"type": "string"}
      },
      "additionalProperties": false
    },
    "each": {
      "type": "object",
      "properties": {"each": {"type": "array", "minItems": 1}},
      "required": ["each"],
      "additionalProperties": false
    },
    "text_or_each": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/each"}]},
    "seed": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615},
    "generator": {
      "description": "opref help generators: uniform, normal, integers, iota, special, bits, or one that the operator has",
      "type": "string",
      "pattern": "^[a-z0-9_]+$"
    },
    "generated": {
      "description": "Values made from a seed: opref help generators; without a dtype of that of other inputs of the same type variable",
      "type": "object",
      "properties": {
        "dtype": {"$ref": "#/$defs/dtype"},
        "shape": {"$ref": "#/$defs/shape"},
        "fill": {"$ref": "#/$defs/generator"},
        "seed": {"description": "The case's where absent", "$ref": "#/$defs/seed"}
      },
      "required": ["shape", "fill"],
      "additionalProperties": false
    },
    "size": {"type": "integer", "minimum": 0, "maximum": 9223372036854775807},
    "positive": {"type": "integer", "minimum": 1, "maximum": 9223372036854775807},
    "real": {"type": "number", "minimum": 0, "maximum": 1.7976931348623157e308},
    "attribute": {"type": ["number", "string", "boolean"]},
    "values": {
      "description": "A tensor of an attribute",
      "$ref": "#/$defs/tensor",
      "required": ["dtype", "data"]
    },
    "shape": {"type": "array", "items": {"$ref": "#/$defs/size"}, "maxItems": 16},
    "dtype": {
      "enum": [
        "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64",
        "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
        "float8_e5m2fnuz", "uint4", "int4", "float4_e2m1fn", "float8_e8m0fnu", "uint2", "int2",
        "float6_e2m3fn", "float6_e3m2fn",
        "float", "double", "half", "f16", "f32", "f64", "fp16", "fp32", "fp64", "bf16"
      ]
    },
    "file": {
      "description": "A file, relative to this one: .npy, .npz:member, .pb, or raw little-endian bytes where dtype and shape are stated",
      "type": "string",
      "minLength": 1,
      "pattern": "^[^\\u0000]+$",
      "not": {"pattern": "\\.npz:$"}
    },
    "tensor": {
      "description": "Values from a file or written here; a shape beside a file says that it holds raw bytes",
      "type": "object",
      "properties": {
        "dtype": {"$ref": "#/$defs/dtype"},
        "shape": {"$ref": "#/$defs/shape"},
        "file": {"$ref": "#/$defs/file"},
        "data": true
      },
      "oneOf": [{"required": ["file"]}, {"required": ["data"]}],
      "if": {"properties": {"dtype": {"const": "string"}}, "required": ["dtype"]},
      "then": {"properties": {"data": {"$ref": "#/$defs/strings"}}},
      "else": {
        "if": {"properties": {"dtype": {"pattern": "^complex"}}, "required": ["dtype"]},
        "then": {"properties": {"data": {"$ref": "#/$defs/complex_elements"}}},
        "else": {"properties": {"data": {"$ref": "#/$defs/elements"}}}
      },
      "allOf": [{"if": {"required": ["file", "shape"]}, "then": {"required": ["dtype"]}}],
      "additionalProperties": false
    },
    "type": {
      "description": "A type without values",
      "type": "object",
      "properties": {"dtype": {"$ref": "#/$defs/dtype"}, "shape": {"$ref": "#/$defs/shape"}},
      "required": ["dtype", "shape"],
      "additionalProperties": false
    },
    "input": {
      "anyOf": [
        {"$ref": "#/$defs/file"}, {"$ref": "#/$defs/tensor"}, {"$ref": "#/$defs/type"},
        {"$ref": "#/$defs/generated"}, {"$ref": "#/$defs/sequence"}, {"$ref": "#/$defs/optional"}
      ]
    },
    "expected": {
      "anyOf": [
        {"$ref": "#/$defs/file"}, {"$ref": "#/$defs/tensor"}, {"$ref": "#/$defs/sequence"},
        {"$ref": "#/$defs/optional"}
      ]
    },
    "sequence": {
      "description": "Tensors of one type: the dtype, else that of the first tensor that has one; an empty sequence needs it",
      "type": "object",
      "properties": {
        "sequence": {
          "type": "array",
          "items": {
            "anyOf": [{"$ref": "#/$defs/file"}, {"$ref": "#/$defs/tensor_of_sequence"}, {"$ref": "#/$defs/generated"}]
          }
        },
        "dtype": {"$ref": "#/$defs/dtype"}
      },
      "required": ["sequence"],
      "if": {"properties": {"sequence": {"maxItems": 0}}},
      "then": {"required": ["dtype"]},
      "additionalProperties": false
    },
    "tensor_of_sequence": {
      "description": "As tensor; the dtype may be that of the sequence",
      "type": "object",
      "properties": {
        "dtype": {"$ref": "#/$defs/dtype"},
        "shape": {"$ref": "#/$defs/shape"},
        "file": {"$ref": "#/$defs/file"},
        "data": {"$ref": "#/$defs/complex_elements"}
      },
      "oneOf": [{"required": ["file"]}, {"required": ["data"]}],
      "additionalProperties": false
    },
    "optional": {
      "description": "A tensor or sequence that may be absent; without one the type says of what: float32, sequence of float32",
      "type": "object",
      "properties": {
        "optional": {
          "anyOf": [
            {"type": "null"}, {"$ref": "#/$defs/file"}, {"$ref": "#/$defs/tensor"}, {"$ref": "#/$defs/sequence"}
          ]
        },
        "type": {"type": "string"}
      },
      "required": ["optional"],
      "if": {"properties": {"optional": {"type": "null"}}},
      "then": {"required": ["type"]},
      "additionalProperties": false
    },
    "elements": {
      "description": "Nested lists; a decimal is rounded once to its dtype",
      "anyOf": [
        {"type": ["number", "boolean"]},
        {"type": "string", "pattern": "^(NaN|Inf|-Inf|0x[0-9a-fA-F]+)$"},
        {"type": "array", "items": {"$ref": "#/$defs/elements"}}
      ]
    },
    "complex_elements": {
      "description": "As elements, and 1+2j as strings",
      "anyOf": [
        {"type": ["number", "boolean", "string"]},
        {"type": "array", "items": {"$ref": "#/$defs/complex_elements"}}
      ]
    },
    "strings": {
      "anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/strings"}}]
    }
  }
}
)";
}

}  // namespace opref::io
