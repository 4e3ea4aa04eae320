import type { CardState } from '@grove/secure-element/card/card-state'
import { softwareCard } from '@grove/secure-element/card/software-card'
import type { KeyContext } from '../../key/key-provider.ts'
import {
  hasClearKeys,
  keyValues,
  openCard,
  sealCard,
  withoutKeys,
  type StoredCard,
} from '../../software-card/card-keys.ts'
import {
  findRunningCard,
  keepRunningCard,
  type RunningCard,
} from '../../software-card/running-card.queries.ts'
import type { ElementTransport, TransportSource } from './transport.ts'

/**
 * A software card in this process. A command's writes are stored before its reply is returned; faults
 * set meanwhile count from the next command. The session's lease keeps other processes from running
 * the same card.
 */
export const virtualTransport: TransportSource = {
  async reach(context, cplc) {
    const found = await findRunningCard(context.db, cplc)
    return found?.state ? openCardOf(context, cplc, { ...found, state: found.state }) : undefined
  },
}

async function openCardOf(
  { db, keys: { vault } }: KeyContext,
  cplc: string,
  first: RunningCard & StoredCard,
): Promise<ElementTransport> {
  let { version } = first
  let { card, kept } = await start(first)
  card.break(first.faults)

  /** Runs the card of a row, and caches the row's contents. */
  async function start(row: StoredCard) {
    const started = softwareCard(await openCard(vault, row))
    const snapshot = started.snapshot()
    return {
      card: started,
      kept: {
        card: JSON.stringify(snapshot),
        row: JSON.stringify(row.state),
        keyId: row.sealed?.keyId ?? null,
        /** The encrypted keys in the row; undefined if some of them are in the clear. */
        keys: hasClearKeys(row) ? undefined : keysText(snapshot),
      },
    }
  }

  /** Adopts changes from outside the session: faults, or a restored snapshot. */
  async function refresh(): Promise<void> {
    const now = await findRunningCard(db, cplc, { ...kept, version })
    if (!now) throw new Error('The software card was deleted.')
    if (now.version === version) return
    version = now.version
    if (now.state) ({ card, kept } = await start({ state: now.state, sealed: now.sealed }))
    card.break(now.faults)
  }

  async function store(faultsBefore: string): Promise<void> {
    const snapshot = card.snapshot()
    const state = JSON.stringify(snapshot)
    const faults = JSON.stringify(card.faults())
    if (state === kept.card && faults === faultsBefore) return
    const keys = keysText(snapshot)
    const sealed = keys === kept.keys ? null : (await sealCard(vault, snapshot)).sealed
    const row = JSON.stringify(withoutKeys(snapshot))
    const next = await keepRunningCard(db, cplc, {
      known: { ...kept, version },
      state: row,
      sealed,
      faults,
    })
    if (!next) throw new Error('The software card was changed during the command.')
    kept = { card: state, row, keyId: sealed?.keyId ?? kept.keyId, keys }
    // Others were set meanwhile: the next command reads them.
    if (next.isAlone) version = next.version
  }

  return {
    kind: 'virtual',
    async transmit(command) {
      await refresh()
      const faults = JSON.stringify(card.faults())
      try {
        return await card.transmit(command)
      } finally {
        // Also after a power cut: earlier writes stay.
        await store(faults)
      }
    },
    close: async () => {},
  }
}

const keysText = (state: CardState) => JSON.stringify(keyValues(state))
