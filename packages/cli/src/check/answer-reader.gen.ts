// Written by npm run shapes.
/**
 * What an answer holds, made from the contract's schemas by `npm run shapes`. `s` text, `t` a moment,
 * `n` a number, `b` true or false, `z` null, `*` anything; a number is a place in the list of shapes;
 * `e` one of these texts, `a` a list, `r` a record, `u` one of these shapes, `o` an object.
 *
 * The name of a property ends in `!` if pages need it, in `?` if the contract lets it be absent, in
 * `~` if absent is not the same as null, and in `=` with where its value comes from if it is
 * absent: `=true`, `=@id` (the property `id`), `=@enabled?live:ready` (by the property `enabled`).
 */
export type Shape =
  | 's'
  | 't'
  | 'n'
  | 'b'
  | 'z'
  | '*'
  | number
  | readonly ['e', ...string[]]
  | readonly ['a' | 'r', Shape]
  | readonly ['u', ...Shape[]]
  | readonly ['o', Readonly<Record<string, Shape>>]

/** The answers of a service by call, such as `GET /api/maple/device`. */
export interface AnswerShapes {
  shapes: readonly Shape[]
  calls: Readonly<Record<string, Shape>>
}

export type ValueKind = 'text' | 'moment' | 'number' | 'boolean' | 'list' | 'object' | 'choice'

/** A field that deviates from the contract. */
export interface Finding {
  /** Such as `items[0].id`; empty for the whole answer. */
  path: string
  isMissing: boolean
  /** Whether pages cannot work without it. */
  isNeeded: boolean
  /** The expected kind. */
  kind: ValueKind
}

export interface ReadAnswer {
  /** The answer in the contract's form, as far as possible. */
  value: unknown
  findings: Finding[]
}

type Fields = Record<string, unknown>
type Objects = readonly ['o', Readonly<Record<string, Shape>>]

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads an answer of a possibly third-party service: a list may come with or without `items`, ids may
 * be numbers, and absent fields get a value that shows as absent: '' for text and times, undefined
 * for numbers, null, or an empty list.
 */
export function readAnswer({ shapes }: Pick<AnswerShapes, 'shapes'>, root: Shape, answer: unknown) {
  const findings: Finding[] = []
  const at = (shape: Shape): Exclude<Shape, number> =>
    typeof shape === 'number' ? at(shapes[shape] ?? '*') : shape
  const wrong = (path: string, isNeeded: boolean, kind: ValueKind, isMissing = false) => {
    findings.push({ path, isMissing, isNeeded, kind })
    return undefined
  }

  /** The value in the shape's form; undefined, with a finding, if that is impossible. */
  function read(given: Shape, value: unknown, path: string, isNeeded: boolean): unknown {
    const shape = at(given)
    const refuse = (kind: ValueKind) => wrong(path, isNeeded, kind)
    if (typeof shape === 'string') return readSimple(shape, value, refuse)
    const [kind, inner] = shape
    if (kind === 'e') {
      return shape.slice(1).includes(value as string) ? value : refuse('choice')
    }
    if (kind === 'a') {
      if (!Array.isArray(value)) return refuse('list')
      // Unreadable and null items of a list are left out.
      return value.flatMap((each, index) => {
        const one = read(inner, each, `${path}[${index}]`, isNeeded)
        return one === undefined ? [] : [one]
      })
    }
    if (kind === 'r') {
      if (!isFields(value)) return refuse('object')
      const entries = Object.entries(value).flatMap(([name, each]) => {
        const one = read(inner, each, `${path}.${name}`, false)
        return one === undefined ? [] : [[name, one] as const]
      })
      return Object.fromEntries(entries)
    }
    if (kind === 'u') return readUnion(shape.slice(1) as Shape[], value, path, isNeeded)
    const named = namedBy(shape as Objects, value)
    return isFields(named) ? readFields(shape as Objects, named, path, isNeeded) : refuse('object')
  }

  function readFields([, fields]: Objects, value: Fields, path: string, isNeeded: boolean): Fields {
    const result: Fields = {}
    const later: [name: string, source: string, shape: Shape][] = []
    for (const [key, shape] of Object.entries(fields)) {
      const [, name = '', mark = '', source = ''] = /^(\w+)([!?~=]?)(.*)$/.exec(key) ?? []
      const own = value[name]
      const inside = path === '' ? name : `${path}.${name}`
      const isOwnNeeded = isNeeded && mark === '!'
      const one = own === undefined ? undefined : read(shape, own, inside, isOwnNeeded)
      if (one !== undefined) result[name] = one
      else if (mark === '=') later.push([name, source, shape])
      else if (mark !== '?') {
        if (own === undefined) wrong(inside, isOwnNeeded, kindOf(shape), true)
        result[name] = mark === '~' ? unknown(shape) : absent(shape)
      }
    }
    for (const [name, source, shape] of later)
      result[name] = fallback(source, result) ?? absent(shape)
    return result
  }

  /** An id where the contract has an object with one needed field. */
  function namedBy([, fields]: Objects, value: unknown): unknown {
    const [name, ...others] = Object.keys(fields).filter((key) => key.endsWith('!'))
    const isName = typeof value === 'string' || typeof value === 'number'
    return isName && name !== undefined && others.length === 0 && fields[name] === 's'
      ? { [name.slice(0, -1)]: value }
      : value
  }

  function readUnion(members: Shape[], value: unknown, path: string, isNeeded: boolean): unknown {
    const mark = findings.length
    let closest: unknown
    let fewest = Number.POSITIVE_INFINITY
    let closestFindings: Finding[] = []
    for (const member of members) {
      const one = read(member, value, path, isNeeded)
      const found = findings.splice(mark)
      if (one !== undefined && found.length === 0) return one
      const count = found.length + (one === undefined ? 1000 : 0)
      if (count < fewest) [fewest, closest, closestFindings] = [count, one, found]
    }
    findings.push(...closestFindings)
    return closest
  }

  function absent(given: Shape): unknown {
    const shape = at(given)
    if (typeof shape === 'string') return absentSimple[shape]
    const [kind] = shape
    if (kind === 'e') return ''
    if (kind === 'a') return []
    if (kind === 'r') return {}
    if (kind === 'u') {
      const members = shape.slice(1) as Shape[]
      return members.some((member) => at(member) === 'z') ? null : absent(members[0] ?? '*')
    }
    const before = findings.length
    const value = readFields(shape as Objects, {}, '', false)
    findings.length = before
    return value
  }

  /** The value for an absent field, where null would mean that there is none. */
  const unknown = (shape: Shape) => (['text', 'moment'].includes(kindOf(shape)) ? '' : undefined)

  function kindOf(given: Shape): ValueKind {
    const shape = at(given)
    if (typeof shape === 'string') return simpleKinds[shape]
    if (shape[0] === 'u')
      return kindOf((shape.slice(1) as Shape[]).find((each) => at(each) !== 'z') ?? '*')
    return ({ e: 'choice', a: 'list', r: 'object', o: 'object' } as const)[shape[0]]
  }

  return { value: read(root, listed(at(root), answer), '', true), findings } satisfies ReadAnswer
}

const simpleKinds = {
  s: 'text',
  t: 'moment',
  n: 'number',
  b: 'boolean',
  z: 'object',
  '*': 'object',
} as const
const absentSimple = { s: '', t: '', n: undefined, b: false, z: null, '*': undefined } as const

function readSimple(
  shape: keyof typeof simpleKinds,
  value: unknown,
  refuse: (kind: ValueKind) => undefined,
): unknown {
  if (shape === '*') return value
  if (shape === 's') {
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' ? value : refuse('text')
  }
  if (shape === 't') return momentOf(value) ?? refuse('moment')
  if (shape === 'z') return value === null ? null : refuse('object')
  const type = shape === 'n' ? 'number' : 'boolean'
  return typeof value === type ? value : refuse(type)
}

/** RFC 3339; without a time zone it counts as UTC. */
function momentOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(value)
    ? `${value.replace(' ', 'T')}Z`
    : value
  return Number.isNaN(Date.parse(text)) ? undefined : text
}

function fallback(source: string, fields: Fields): unknown {
  if (source === 'true') return true
  const [, name = '', yes, no] = /^@(\w+)(?:\?(\w+):(\w+))?$/.exec(source) ?? []
  if (yes !== undefined) return fields[name] === true ? yes : no
  return fields[name]
}

/** A list with or without `items`, in the contract's form. */
function listed(shape: Exclude<Shape, number>, answer: unknown): unknown {
  if (shape[0] === 'o' && Array.isArray(answer) && 'items!' in (shape as Objects)[1])
    return { items: answer }
  if (shape[0] === 'a' && isFields(answer) && 'items' in answer) return answer['items']
  return answer
}
