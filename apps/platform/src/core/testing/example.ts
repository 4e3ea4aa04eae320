import * as fc from 'fast-check'

/** The parts of JSON Schema that the contract uses. */
interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  examples?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  pattern?: string
  format?: string
  minLength?: number
  minimum?: number
}

const formats: Record<string, string> = {
  uuid: '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55',
  'date-time': '2030-01-01T00:00:00Z',
}

/** A value that a schema accepts: its own example, or one generated from its rules; deterministic. */
export function exampleOf(schema: object): unknown {
  const { type, anyOf, examples, enum: values, ...rules } = schema as Schema
  if (examples) return examples[0]
  if ('const' in rules) return rules.const
  if (values) return values[0]
  if (anyOf) return exampleOf(anyOf[0] ?? {})
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(rules.properties ?? {}).map(([name, field]) => [name, exampleOf(field)]),
      )
    case 'array':
      return Array.from({ length: Math.max(1, rules.minItems ?? 0) }, () =>
        exampleOf(rules.items ?? {}),
      )
    case 'string':
      return textOf(rules)
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return rules.minimum ?? 1
    default:
      throw new Error(`The contract needs an example for ${JSON.stringify(schema)}.`)
  }
}

function textOf({ format, pattern, minLength = 1 }: Schema): string {
  if (format !== undefined && formats[format] !== undefined) return formats[format]
  if (pattern === undefined) return 'x'.repeat(minLength)
  return fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 1, seed: 1 })[0] ?? ''
}

/** The mandatory query of a call, with its `?`; empty if there is none. */
export function requiredQueryOf(schema: object | undefined): string {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema
  const entries = required.map((name) => [name, String(exampleOf(properties[name] ?? {}))])
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`
}
