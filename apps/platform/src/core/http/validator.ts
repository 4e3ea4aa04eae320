import {
  Ajv,
  type AnySchema,
  type ErrorObject,
  type SchemaObject,
  type ValidateFunction,
} from 'ajv'
import formats from 'ajv-formats'
import stringifier from 'fast-json-stringify'
import { isNameOrBlank } from '@grove/contract/name.rules'

// Nothing is removed or coerced: unknown fields and numbers sent as text are refused.
const options = { allErrors: true, useDefaults: true, strict: false } as const

// URLs carry text only, so there "3" is the number 3.
const text = withFormats(new Ajv({ ...options, coerceTypes: true }))
const json = withFormats(new Ajv(options))

/** Tells whether a value matches; when not, `errors` says why. */
export interface Validator {
  (value: unknown): boolean
  errors?: ErrorObject[] | null | undefined
}

/** A validator of a schema; `part` tells whether its values arrive as text. */
export const validatorFor = (schema: AnySchema, part: string | undefined): Validator =>
  compiledOnUse(part === 'body' ? json : text, schema)

// Unauthenticated input costs no more than its first error.
const first = { ...options, allErrors: false } as const
const firstOfText = withFormats(new Ajv({ ...first, coerceTypes: true }))
const firstOfJson = withFormats(new Ajv(first))

/** The same for a public call: it stops at the first error. */
export const publicValidatorFor = (schema: AnySchema, part: string | undefined): Validator =>
  compiledOnUse(part === 'body' ? firstOfJson : firstOfText, schema)

// Compiling the schemas of all calls would take a second of each start.
function compiledOnUse(ajv: Ajv, schema: AnySchema): Validator {
  let compiled: ValidateFunction | undefined
  const validate: Validator = (value) => {
    compiled ??= ajv.compile(schema as SchemaObject)
    const isValid = compiled(value)
    validate.errors = compiled.errors
    return isValid
  }
  return validate
}

type Serializer = (answer: unknown) => string

const serializers = new WeakMap<object, Serializer>()

/** Serialises answers of a schema as JSON; compiled once, on first use. */
export function serializerFor(schema: object): Serializer {
  return (answer) => {
    let compiled = serializers.get(schema)
    if (!compiled) serializers.set(schema, (compiled = compileSerializer(schema)))
    return compiled(answer)
  }
}

/** It only decides which branch of a union a value matches; it must know the format's name. */
export const compileSerializer = (schema: object): Serializer =>
  stringifier(schema, { ajv: { formats: { name: true } } })

function withFormats(ajv: Ajv): Ajv {
  return formats.default(ajv).addFormat('name', isNameOrBlank)
}
