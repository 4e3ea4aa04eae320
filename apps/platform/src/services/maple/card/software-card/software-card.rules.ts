import { createHash } from 'node:crypto'
import type { CardFaults, SoftwareCard } from '@grove/contract/maple/card/software-card'
import type { ElementState } from '@grove/contract/maple/fleet/element.rules'
import type { CardKind } from '@grove/contract/maple/card/software-card.rules'
import { readHex } from '@grove/secure-element/bytes'
import { cardProfiles } from '@grove/secure-element/card/card-profile'
import {
  idOfCardNumber,
  newCard,
  type CardState,
  type NewCard,
} from '@grove/secure-element/card/card-state'
import { freeMemory } from '@grove/secure-element/card/memory'
import type { Faults } from '@grove/secure-element/card/software-card'
import { lifeCycleState } from '@grove/secure-element/life-cycle'
import type { KeySet } from '@grove/secure-element/secure-channel/key-set'
import type { CardRow } from './software-card.queries.ts'

/** The numbers that identify a card: its CPLC, or the CIN that its id is derived from. */
export type CardNumbers = Required<Pick<NewCard, 'cplc'>> & Pick<NewCard, 'cin'>

/** A card as delivered. */
export const cardOfKind = (kind: CardKind, seed: string, numbers: CardNumbers): CardState =>
  newCard({ ...cardProfiles[kind], seed, ...numbers })

/** The same card with other numbers. */
export const renumbered = (
  state: CardState,
  seed: string,
  { cplc, cin }: CardNumbers,
): CardState => ({
  ...state,
  seed,
  cplc,
  objects: { ...state.objects, ...(cin !== undefined && { '45': cin }) },
})

/**
 * The numbers of a chip of this kind. They are derived from the seed, and differ between service
 * providers, so that none can find out another's seeds.
 */
export function numbersOf(kind: CardKind, seed: string, serviceId: string | null): CardNumbers {
  const { cplcPrefix = '4790D321470000000000', hasCplc = true }: NewCard = cardProfiles[kind]
  const digest = createHash('sha256')
    .update(JSON.stringify([serviceId, seed]))
    .digest('hex')
    .toUpperCase()
  if (hasCplc) return { cplc: `${cplcPrefix}4130${digest.slice(0, 12)}${'0'.repeat(48)}` }
  const cin = digest.slice(0, 16)
  return { cplc: idOfCardNumber(cin), cin }
}

/** The issuer's complete key sets, which Grove keeps to open channels. */
export function keySetsOf({ keySets, protocol }: CardState) {
  return keySets.flatMap(({ version, keys }) => {
    const [enc, mac, dek] = [1, 2, 3].map((id) => keys.find((key) => key.id === id))
    if (!enc || !mac || !dek) return []
    const set: KeySet = {
      enc: readHex(enc.value),
      mac: readHex(mac.value),
      dek: readHex(dek.value),
    }
    return [{ version, protocol, keys: set }]
  })
}

/** Faults in the card's format. */
export const cardFaults = ({ wrongStatusWord, ...faults }: CardFaults): Faults => ({
  ...faults,
  ...(wrongStatusWord && {
    wrongStatusWord: {
      ins: Number.parseInt(wrongStatusWord.instruction, 16),
      statusWord: Number.parseInt(wrongStatusWord.statusWord, 16),
    },
  }),
})

/** Faults as a caller sees them. */
export const faultsOf = ({ wrongStatusWord, ...faults }: Faults): CardFaults => ({
  ...faults,
  ...(wrongStatusWord && {
    wrongStatusWord: {
      instruction: hexOf(wrongStatusWord.ins, 2),
      statusWord: hexOf(wrongStatusWord.statusWord, 4),
    },
  }),
})

/** The state of the card as that of its secure element. */
export const elementStateOf = ({ lifeCycle }: CardState): ElementState =>
  (lifeCycleState('card', lifeCycle) ?? 'unknown') as ElementState

const hexOf = (value: number, digits: number) =>
  value.toString(16).toUpperCase().padStart(digits, '0')

/** A card as callers see it: its contents, without its keys. */
export function cardOf({
  cplc,
  state,
  sealed: _sealed,
  seed: _seed,
  faults,
  ...row
}: CardRow): SoftwareCard {
  const { protocol, implementation, memory, lifeCycle } = state
  return {
    ...row,
    id: cplc,
    faults: faultsOf(faults),
    protocol: `${protocol} i=${hexOf(implementation, 2)}`,
    lifeCycle: lifeCycleState('card', lifeCycle) ?? 'opReady',
    memory: { total: memory, free: freeMemory(state) },
    applications: state.applications.map(({ aid }) => aid),
    packages: state.loadFiles.filter(({ isFactory }) => !isFactory).map(({ aid }) => aid),
    keyVersions: state.keySets.map(({ version }) => version),
  }
}
