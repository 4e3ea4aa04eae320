import type { Exchange } from '@grove/contract/maple/card/session'
import { explainCommand } from '@grove/secure-element/explain-apdu'
import { attempt } from '@grove/secure-element/decode-error'
import type { Meaning, Part } from '@grove/secure-element/part'
import { readHex } from '@grove/secure-element/bytes'
import { statusWord, type StatusWord } from '@grove/secure-element/status-word'

/** A row's description of an exchange; the texts depend on the language. */
export interface ExchangeWords {
  /** The name of the instruction, for INSTALL with its purpose; undefined if unknown. */
  name: string | undefined
  /** The logical channel in its class byte; 0 for the basic one. */
  logicalChannel: number
  /** What the parameters mean. */
  meanings: Meaning[]
  /** The AIDs that the command concerns, in hex. */
  aids: string[]
}

const known = new WeakMap<Exchange, ExchangeWords>()

/** Computed once per exchange, when its row is shown or searched. */
export function exchangeWords(exchange: Exchange): ExchangeWords {
  const found = known.get(exchange)
  if (found) return found
  const words = wordsOf(exchange)
  known.set(exchange, words)
  return words
}

const nothing: ExchangeWords = { name: undefined, logicalChannel: 0, meanings: [], aids: [] }

function wordsOf({ command, redacted }: Exchange): ExchangeWords {
  if (command === null) return nothing
  const parts = attempt(() => explainCommand(readHex(command), new Date(0)))
  if (!parts) return nothing
  const instruction = meaningOf(parts, 'instruction')
  const purpose = meaningOf(parts, 'parameter1')
  const isInstall = instruction?.kind === 'name' && instruction.text === 'INSTALL'
  const [name] = [isInstall ? purpose : undefined, instruction].flatMap((meaning) =>
    meaning?.kind === 'name' ? [meaning.text] : [],
  )
  const meanings = (['objectTag', 'parameter1', 'parameter2'] as const).flatMap((place) => {
    const meaning = meaningOf(parts, place)
    return meaning && meaning.kind !== 'name' ? [meaning] : []
  })
  return { name, logicalChannel: numberOf(parts), meanings, aids: redacted ? [] : aidsOf(parts) }
}

function numberOf(parts: readonly Part[]): number {
  const part = parts.find(({ name }) => name === 'class')?.parts?.[0]
  return part?.meaning?.kind === 'number' ? part.meaning.value : 0
}

const meaningOf = (parts: readonly Part[], name: Part['name']) =>
  parts.find((part) => part.name === name)?.meaning

const aidNames = new Set<Part['name']>([
  'aid',
  'loadFileAid',
  'moduleAid',
  'applicationAid',
  'securityDomainAid',
])

const aidsOf = (parts: readonly Part[]): string[] => [
  ...new Set(
    parts.flatMap((part) => {
      if (!aidNames.has(part.name)) return aidsOf(part.parts ?? [])
      const isObject = part.parts?.some(({ name }) => name === 'tag')
      const { hex = '' } = isObject
        ? (part.parts?.find(({ from }) => from > part.from + 1) ?? {})
        : part
      return hex === '' ? [] : [hex]
    }),
  ),
]

/** The meaning of an exchange's status word; undefined while there is none. */
export const statusOf = ({ statusWord: word }: Exchange): StatusWord | undefined =>
  word === null ? undefined : statusWord(Number.parseInt(word, 16))
