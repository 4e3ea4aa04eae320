import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { newCard, type CardState, type NewCard } from './card-state.ts'
import { softwareCard, type SoftwareCard } from './software-card.ts'

export class CardFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CardFileError'
  }
}

/**
 * Opens the card in a file, or creates one there. `keep` replaces the file atomically if the card has
 * changed, so an interruption leaves the old card or the new one.
 */
export function openCardFile(
  file: string,
  made: NewCard,
): { card: SoftwareCard; keep: () => void; isContinued: boolean } {
  const isContinued = existsSync(file)
  const state = isContinued ? readState(file) : newCard(made)
  const card = softwareCard(state)
  let kept = isContinued ? JSON.stringify(state) : ''
  return {
    card,
    isContinued,
    keep() {
      const now = JSON.stringify(card.snapshot())
      if (now === kept) return
      replaceFile(file, `${JSON.stringify(JSON.parse(now), null, 2)}\n`)
      kept = now
    },
  }
}

function replaceFile(file: string, text: string) {
  const next = `${file}.new`
  // The file holds keys.
  const handle = openSync(next, 'w', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(next, file)
}

function readState(file: string): CardState {
  let found: unknown
  try {
    found = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new CardFileError(`${file} cannot be read as a card: it is not JSON.`, { cause })
  }
  if (!isCardState(found))
    throw new CardFileError(`${file} is not the file of a software card. Choose another --state.`)
  return found
}

/** It is our own format, so checking its outline is enough to recognise it. */
const isCardState = (value: unknown): value is CardState =>
  typeof value === 'object' &&
  value !== null &&
  'issuerAid' in value &&
  typeof value.issuerAid === 'string' &&
  'keySets' in value &&
  Array.isArray(value.keySets) &&
  'applications' in value &&
  Array.isArray(value.applications) &&
  'cplc' in value &&
  typeof value.cplc === 'string'
