// Writes the shapes of answers (packages/contract/src/answer-reader.rules.ts) with which the console
// reads other services' answers: npm run shapes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Shape } from '../packages/contract/src/answer-reader.rules.ts'
import type { Call } from '../packages/contract/src/call.ts'
import { calls } from '../packages/contract/src/calls.ts'
import { marks, minimum } from '../packages/contract/src/minimum.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const services = ['cedar', 'maple'] as const

/** JSON Schema, as far as the contract uses it. */
interface Schema {
  type?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema | Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
}

/** Collects the objects that several answers share, each once. */
function shaper() {
  const shapes: Shape[] = []
  const places = new Map<string, number>()
  const placed = (shape: Shape): Shape => {
    const key = JSON.stringify(shape)
    if (key.length < 40) return shape
    const place = places.get(key) ?? shapes.push(shape) - 1
    places.set(key, place)
    return place
  }

  function shapeOf(schema: Schema, own: Record<string, string> = {}, isItem = false): Shape {
    if (schema.anyOf)
      return placed(['u', ...schema.anyOf.map((each) => shapeOf(each, own, isItem))])
    const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
    if (values?.every((value) => typeof value === 'string')) return placed(['e', ...values])
    switch (schema.type) {
      case 'string':
        return schema.format === 'date-time' ? 't' : 's'
      case 'integer':
      case 'number':
        return 'n'
      case 'boolean':
        return 'b'
      case 'null':
        return 'z'
      case 'array':
        return Array.isArray(schema.items) || !schema.items
          ? ['a', '*']
          : placed(['a', shapeOf(schema.items, own, isItem)])
      case 'object': {
        const [record] = Object.values(schema.patternProperties ?? {})
        if (record) return placed(['r', shapeOf(record)])
        return schema.properties ? placed(['o', fieldsOf(schema, own, isItem)]) : '*'
      }
      default:
        return '*'
    }
  }

  function fieldsOf(
    { properties = {}, required = [] }: Schema,
    own: Record<string, string>,
    isItem: boolean,
  ) {
    const isList = 'items' in properties
    const fields = !isItem ? own : isList ? {} : { ...markedOf(properties), ...own }
    return Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => {
        const isItems = isItem && isList && name === 'items'
        const mark = required.includes(name) ? (isItems ? '!' : (fields[name] ?? '')) : '?'
        return [name + mark, shapeOf(schema, isItems ? own : insideOf(own, name), isItems)]
      }),
    )
  }

  return { shapes, shapeOf }
}

/** The marks below a field. */
const insideOf = (own: Record<string, string>, name: string) =>
  Object.fromEntries(
    Object.entries(own).flatMap(([path, mark]) =>
      path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), mark]] : [],
    ),
  )

/** Every item has an id, and a name that may equal the id. */
function markedOf(properties: Record<string, Schema>): Record<string, string> {
  const id = ['id', 'productVersionId', 'productId', 'role', 'cplc', 'aid'].find(
    (name) => name in properties,
  )
  if (id === undefined) return {}
  return { [id]: '!', ...('name' in properties && { name: `=@${id}` }) }
}

const marksOf = (key: string): Record<string, string> => {
  const path = key.slice(key.indexOf(' ') + 1)
  const fitting = Object.keys(marks).filter((each) => path === each || path.startsWith(`${each}/`))
  return marks[fitting.toSorted((a, b) => b.length - a.length)[0] ?? ''] ?? {}
}

/** The shapes of a service's JSON answers: of all its calls, or of the given ones. */
export function answerShapes(service: Call['service'], keys?: readonly string[]) {
  const { shapes, shapeOf } = shaper()
  const own = Object.entries<Call>(calls).filter(
    ([key, call]) =>
      call.service === service &&
      call.produces === undefined &&
      call.status !== 204 &&
      (keys?.includes(key) ?? true),
  )
  const entries = own.map(([key, { response }]) => {
    return [key, shapeOf(response, marksOf(key), true)] as const
  })
  return { shapes, calls: Object.fromEntries(entries) }
}

const head = '// Written by npm run shapes.\n'
const readerFile = 'packages/contract/src/answer-reader.rules.ts'
const textOf = (value: unknown) => JSON.stringify(value).replaceAll('},{', '},\n{')

/** The reading calls of the minimum, by service. */
const reading = (service: (typeof services)[number]) =>
  Object.values<readonly string[]>(minimum[service])
    .flat()
    .filter((key) => key.startsWith('GET '))

/** The files by their paths in the repository. The command line is a separate package and gets copies. */
export const shapeFiles = (): Record<string, string> => ({
  ...Object.fromEntries(
    services.map((service) => [
      `apps/console/src/session/foreign/${service}.gen.ts`,
      `${head}import type { AnswerShapes } from '@grove/contract/answer-reader.rules'

export const answers: AnswerShapes = ${textOf(answerShapes(service))}
`,
    ]),
  ),
  'packages/cli/src/check/answer-reader.gen.ts':
    head + readFileSync(join(root, readerFile), 'utf8'),
  'packages/cli/src/check/minimum.gen.ts': `${head}import type { AnswerShapes } from './answer-reader.gen.ts'

/** What the console requires at least, by service. */
export const minimum: Record<'cedar' | 'maple', AnswerShapes> = ${textOf(
    Object.fromEntries(
      services.map((service) => [service, answerShapes(service, reading(service))]),
    ),
  )}
`,
})

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, text] of Object.entries(shapeFiles())) writeFileSync(join(root, file), text)
