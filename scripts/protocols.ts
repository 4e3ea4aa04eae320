// Writes the tables of docs/protocol-cedar.md and docs/protocol-maple.md from the contract: npm run shapes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Shape } from '../packages/contract/src/answer-reader.rules.ts'
import type { Call } from '../packages/contract/src/call.ts'
import { calls } from '../packages/contract/src/calls.ts'
import { minimum } from '../packages/contract/src/minimum.ts'
import { answerShapes } from './answer-shapes.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
type Service = keyof typeof minimum

const begin = '<!-- calls: npm run shapes -->'
const end = '<!-- end of calls -->'

const code = (name: string) => `\`${name}\``

/** The names of a call's inputs; optional ones have a question mark. */
function sentBy({ query, body, form }: Call): string {
  const parts = [query && ['query', query], body && ['body', body], form && ['form', form]]
  const texts = parts.flatMap((part) => {
    if (!part) return []
    const [name, schema] = part as [string, { properties?: object; required?: string[] }]
    const names = Object.keys(schema.properties ?? {}).map((each) =>
      schema.required?.includes(each) ? each : `${each}?`,
    )
    return names.length > 0 ? [`${name} ${names.map(code).join(', ')}`] : []
  })
  return [...texts, ...(form ? ['a file `file`'] : [])].join('; ') || '–'
}

interface Fields {
  needed: string[]
  shown: string[]
}

/** The fields of an answer; those of a list's items have their path. */
function fieldsOf(shapes: readonly Shape[], root: Shape | undefined): Fields | undefined {
  const at = (shape: Shape): Exclude<Shape, number> =>
    typeof shape === 'number' ? at(shapes[shape] ?? '*') : shape
  if (root === undefined) return undefined
  const shape = at(root)
  if (shape[0] === 'a') {
    const inner = fieldsOf(shapes, shape[1] as Shape)
    const inItems = (names: string[] = []) => names.map((name) => `[].${name}`)
    return { needed: inItems(inner?.needed), shown: inItems(inner?.shown) }
  }
  if (shape[0] !== 'o') return undefined
  const result: Fields = { needed: [], shown: [] }
  /** The fields of a field with objects, one level deep. */
  const insideOf = (shape: Shape): string => {
    const own = at(shape)
    if (own[0] === 'u')
      return (
        (own.slice(1) as Shape[]).map((each) => insideOf(each)).find((each) => each !== '') ?? ''
      )
    if (own[0] === 'a') {
      const inner = insideOf(own[1] as Shape)
      return inner === '' ? '' : `[]${inner}`
    }
    if (own[0] !== 'o') return ''
    return ` {${Object.keys(own[1])
      .map((key) => key.replace(/[!?~=].*$/, ''))
      .filter((key) => key !== 'rights')
      .join(', ')}}`
  }
  for (const [key, value] of Object.entries(shape[1])) {
    const [, name = '', mark = '', source = ''] = /^(\w+)([!?~=]?)(.*)$/.exec(key) ?? []
    const found = at(value)
    if (name === 'items' && found[0] === 'a') {
      const inner = fieldsOf(shapes, found)
      result.needed.push(...(inner?.needed ?? []).map((each) => `items${each}`))
      result.shown.push(...(inner?.shown ?? []).map((each) => `items${each}`))
    } else if (name === 'rights') continue
    else if (mark === '!') result.needed.push(name)
    else result.shown.push(name + (source === '' ? insideOf(value) : '*'))
  }
  return result
}

const list = (names: readonly string[] = []) => names.map((name) => code(name)).join(', ') || '–'

/** The tables of a service, one per group of calls. */
export function tables(service: Service): string {
  const { shapes, calls: answers } = answerShapes(service)
  return Object.entries<readonly (keyof typeof calls)[]>(minimum[service])
    .map(([group, keys]) => {
      const rows = keys.map((key) => {
        const call: Call = calls[key]
        const fields = fieldsOf(shapes, answers[key])
        const answer = fields
          ? `${list(fields.needed)} | ${list(fields.shown)}`
          : `${call.produces === undefined ? 'nothing (204)' : 'a file'} | –`
        return `| \`${key}\` | ${call.summary} | ${sentBy(call)} | ${answer} |`
      })
      return `### ${group}\n\n| Call | What it does | Sends | Needed | Shown if it is there |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
    })
    .join('\n')
}

export const protocolFile = (service: Service) => join(root, `docs/protocol-${service}.md`)

/** The page with the current tables. */
export function withTables(service: Service, text: string): string {
  const [before] = text.split(begin)
  const [, after = '\n'] = text.split(end)
  return `${before}${begin}\n${tables(service)}${end}${after}`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const service of ['cedar', 'maple'] as const) {
    const file = protocolFile(service)
    writeFileSync(file, withTables(service, readFileSync(file, 'utf8')))
  }
