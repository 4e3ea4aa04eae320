import { byteAt, toHex } from './bytes.ts'
import { cplcDigits, cplcFields, fabricatorName, typeName, type CplcFieldName } from './cplc.ts'
import { DecodeError } from './decode-error.ts'
import { derivedFrom } from './derived-id.ts'
import { named, number, part, term, type Part } from './part.ts'
import { explainStatusWord } from './status-word.ts'

const cplcBytes = cplcDigits / 2

/** Explains the 42 bytes of a CPLC, or of the id of a card without one, field by field; `now` resolves the last digit of a year. */
export function explainCplc(
  bytes: Uint8Array,
  now: Date,
  from = 0,
  to: number = bytes.length,
): Part[] {
  if (to - from !== cplcBytes)
    throw new DecodeError('wrongLength', from, {
      expected: `${cplcBytes}`,
      found: `${to - from}`,
    })
  const cplc = toHex(bytes.subarray(from, to))
  const source = derivedFrom(cplc)
  if (source)
    return [
      part(bytes, 'noCplc', from, from + 9, term('identity.none')),
      part(bytes, 'identitySource', from + 9, from + 10, term(`identity.${source}`)),
      part(bytes, 'identityHash', from + 10, to),
    ]
  let at = from
  return cplcFields(cplc, now).map(({ name, hex, date }) => {
    const start = at
    at += hex.length / 2
    const text = name === 'icFabricator' ? fabricatorName(cplc) : nameOfType(name, cplc)
    if (text !== undefined) return part(bytes, name, start, at, named(text))
    if (date) return part(bytes, name, start, at, { meaning: { kind: 'date', date } })
    return part(bytes, name, start, at, /^(0+|F+)$/.test(hex) ? term('notSet') : {})
  })
}

const nameOfType = (name: CplcFieldName, cplc: string): string | undefined =>
  name === 'icType' ? typeName(cplc) : undefined

/** Explains a reply to GET DATA `9F7F`: tag, length, the fields and the status word, if present. */
export function explainCplcReply(bytes: Uint8Array, now: Date): Part[] {
  const start = ['9F', '7F', '2A']
  for (const [index, expected] of start.entries()) {
    const found = toHex(bytes.subarray(index, index + 1))
    if (found === '')
      throw new DecodeError('cutOff', index, { expected: `${start.length - index}`, found: '0' })
    if (found !== expected)
      throw new DecodeError(index === 2 ? 'wrongLength' : 'wrongTag', index, { expected, found })
  }
  const from = start.length
  const to = from + cplcBytes
  if (bytes.length < to)
    throw new DecodeError('cutOff', from, {
      expected: `${cplcBytes}`,
      found: `${bytes.length - from}`,
    })
  const rest = bytes.length - to
  if (rest !== 0 && rest !== 2)
    throw new DecodeError('leftOver', to, { expected: '0 / 2', found: `${rest}` })
  return [
    part(bytes, 'cplc', 0, to, {
      parts: [
        part(bytes, 'tag', 0, 2),
        part(bytes, 'length', 2, 3, number(byteAt(bytes, 2))),
        ...explainCplc(bytes, now, from, to),
      ],
    }),
    ...(rest === 2 ? explainStatusWord(bytes, to) : []),
  ]
}
