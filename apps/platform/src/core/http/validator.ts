import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

// Nothing is removed or guessed: an unknown field and a number sent as text are told to the sender.
const options = { allErrors: true, useDefaults: true, strict: false } as const

// Addresses carry text only, so there "3" is the number 3.
const text = formats.default(new Ajv({ ...options, coerceTypes: true }))
const json = formats.default(new Ajv(options))

/** Compiles a schema; `part` tells whether its values arrive as text. */
export function validatorFor(schema: AnySchema, part: string | undefined): ValidateFunction {
  return (part === 'body' ? json : text).compile(schema)
}
