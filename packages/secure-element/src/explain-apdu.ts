import { commandLayout, expectedLength, parseResponse } from './apdu.ts'
import { byteAt, toHex } from './bytes.ts'
import { logicalChannelOf } from './class-byte.ts'
import { attempt } from './decode-error.ts'
import { commandName, installPurpose } from './command-names.ts'
import { explainCommandData, type MacLength } from './explain-command-data.ts'
import { explainTlv } from './explain-tlv.ts'
import { explainGetStatus } from './get-status.ts'
import { lifeCycleState } from './life-cycle.ts'
import { named, number, part, term, type Meaning, type Part } from './part.ts'
import { explainStatusWord } from './status-word.ts'
import { tagName } from './tag-names.ts'

/**
 * Explains a command APDU: header, lengths, and the data if the command is known. `macLength` is the
 * secure channel's.
 */
export function explainCommand(bytes: Uint8Array, now: Date, macLength: MacLength = 8): Part[] {
  const { lc, dataFrom, dataTo, le } = commandLayout(bytes)
  const [cla, ins] = [byteAt(bytes, 0), byteAt(bytes, 1)]
  const name = commandName(cla, ins)
  const data = lc && attempt(() => explainCommandData(bytes, dataFrom, dataTo, now, macLength))
  return [
    part(bytes, 'class', 0, 1, { ...classMeaning(cla), ...classParts(bytes) }),
    part(bytes, 'instruction', 1, 2, name === undefined ? {} : named(name)),
    ...explainParameters(bytes, name),
    ...(lc ? [part(bytes, 'dataLength', lc.from, lc.to, number(dataTo - dataFrom))] : []),
    ...(lc ? [part(bytes, 'data', dataFrom, dataTo, data && { parts: data })] : []),
    ...(le
      ? [part(bytes, 'expectedLength', le.from, le.to, number(expectedLength(bytes, le)))]
      : []),
  ]
}

function classMeaning(cla: number) {
  const isSecured = (cla & (cla & 0x40 ? 0x20 : 0x0c)) !== 0
  if ((cla & 0x80) === 0)
    return term(isSecured ? 'class.securedInterindustry' : 'class.interindustry')
  return term(isSecured ? 'class.securedProprietary' : 'class.proprietary')
}

/** The logical channel, unless it is the basic one. */
function classParts(bytes: Uint8Array): Pick<Part, 'parts'> {
  const logicalChannel = logicalChannelOf(byteAt(bytes, 0))
  if (logicalChannel === 0) return {}
  return { parts: [part(bytes, 'logicalChannel', 0, 1, number(logicalChannel))] }
}

const subsets = {
  '80': 'subset.issuer',
  '40': 'subset.applications',
  '20': 'subset.loadFiles',
  '10': 'subset.loadFilesAndModules',
} as const

function explainParameters(bytes: Uint8Array, name: string | undefined): Part[] {
  const [p1, p2] = [byteAt(bytes, 2), byteAt(bytes, 3)]
  const both = (first: { meaning?: Meaning }, second: { meaning?: Meaning }) => [
    part(bytes, 'parameter1', 2, 3, first),
    part(bytes, 'parameter2', 3, 4, second),
  ]
  const subset = subsets[toHex(bytes.subarray(2, 3)) as keyof typeof subsets]
  const ofSubset = subset === undefined ? {} : term(subset)
  if (name === 'GET DATA') {
    const tag = toHex(bytes.subarray(p1 === 0 ? 3 : 2, 4))
    return [part(bytes, 'objectTag', 2, 4, { meaning: { kind: 'object', name: tagName(tag) } })]
  }
  if (name === 'GET STATUS')
    return both(ofSubset, term((p2 & 1) === 0 ? 'list.first' : 'list.next'))
  if (name === 'SET STATUS') {
    const state = p1 === 0x80 ? lifeCycleState('card', p2) : undefined
    return both(ofSubset, state ? term(`state.${state}`) : {})
  }
  if (name === 'INSTALL') {
    const purpose = installPurpose(p1)
    return both(purpose === undefined ? {} : named(`INSTALL [${purpose}]`), {})
  }
  if (name === 'MANAGE CHANNEL')
    return both(
      p1 === 0x00 || p1 === 0x80 ? term(p1 === 0 ? 'logical.open' : 'logical.close') : {},
      p2 === 0 ? {} : number(p2),
    )
  if (name === 'LOAD' || name === 'STORE DATA')
    return both(term((p1 & 0x80) === 0 ? 'block.more' : 'block.last'), number(p2))
  return both({}, {})
}

/** Explains a response APDU: its data, if it consists of known objects, and its status word. */
export function explainResponse(bytes: Uint8Array, now: Date): Part[] {
  const { length } = parseResponse(bytes).data
  const data = bytes.subarray(0, length)
  const explain = byteAt(data, 0) === 0xe3 ? explainGetStatus : explainTlv
  const parts = length > 0 ? attempt(() => explain(data, now)) : undefined
  return [
    ...(length > 0 ? [part(bytes, 'data', 0, length, parts && { parts })] : []),
    ...explainStatusWord(bytes, length),
  ]
}
