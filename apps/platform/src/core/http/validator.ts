import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { isNameOrBlank } from '@grove/contract/name.rules'

// Nothing is removed or coerced: unknown fields and numbers sent as text are refused.
const options = { allErrors: true, useDefaults: true, strict: false } as const

// URLs carry text only, so there "3" is the number 3.
const text = withFormats(new Ajv({ ...options, coerceTypes: true }))
const json = withFormats(new Ajv(options))

/** Compiles a schema; `part` tells whether its values arrive as text. */
export function validatorFor(schema: AnySchema, part: string | undefined): ValidateFunction {
  return (part === 'body' ? json : text).compile(schema)
}

// Unauthenticated input costs no more than its first error.
const first = { ...options, allErrors: false } as const
const firstOfText = withFormats(new Ajv({ ...first, coerceTypes: true }))
const firstOfJson = withFormats(new Ajv(first))

/** The same for a public call: it stops at the first error. */
export function publicValidatorFor(schema: AnySchema, part: string | undefined): ValidateFunction {
  return (part === 'body' ? firstOfJson : firstOfText).compile(schema)
}

function withFormats(ajv: Ajv): Ajv {
  return formats.default(ajv).addFormat('name', isNameOrBlank)
}
