import { sql } from 'kysely'
import {
  ssdModule,
  ssdPackage,
  type CardState,
  type NewCard,
  type StoredApplication,
} from '@grove/secure-element/card/card-state'
import type { PrivilegeName } from '@grove/secure-element/privileges'
import type { SessionServer } from './session-server.ts'

export const domain = 'A0000001515350410001'

export async function stateOf({ db }: Pick<SessionServer, 'db'>, cplc: string): Promise<CardState> {
  const { rows } = await sql<{ state: CardState }>`
    select state from maple.software_card where cplc = ${cplc}`.execute(db)
  if (!rows[0]) throw new Error('there is no such card')
  return rows[0].state
}

/** Changes a card like another host. */
export async function changeElsewhere(
  server: Pick<SessionServer, 'db'>,
  cplc: string,
  change: (state: CardState) => void,
): Promise<void> {
  const state = await stateOf(server, cplc)
  change(state)
  await sql`update maple.software_card set state = ${JSON.stringify(state)}::jsonb, version = version + 1
    where cplc = ${cplc}`.execute(server.db)
}

/** An instance in the issuer's domain. */
export const applicationOf = (
  { issuerAid }: CardState,
  facts: Pick<StoredApplication, 'aid' | 'loadFileAid' | 'moduleAid'> & Partial<StoredApplication>,
): StoredApplication => ({
  domainAid: issuerAid,
  lifeCycle: 0x07,
  privileges: [],
  parameters: 'C900',
  quota: {},
  reserved: {},
  model: 'generic',
  data: {},
  ...facts,
})

/** Adds a domain without keys of its own, like another host. */
export const addDomain = (
  server: Pick<SessionServer, 'db'>,
  cplc: string,
  privileges: readonly PrivilegeName[] = ['trustedPath'],
): Promise<void> =>
  changeElsewhere(server, cplc, (state) => {
    const { implementation } = state
    state.applications.push(
      applicationOf(state, {
        aid: domain,
        loadFileAid: ssdPackage,
        moduleAid: ssdModule,
        privileges: ['securityDomain', ...privileges],
        model: 'securityDomain',
        domain: { implementation, keySets: [], objects: {} },
      }),
    )
  })

/** A card with a domain that has no keys of its own. */
export async function cardWithDomain(
  server: SessionServer,
  options: NewCard = {},
  privileges?: readonly PrivilegeName[],
): Promise<string> {
  const cplc = await server.card(options)
  await addDomain(server, cplc, privileges)
  return cplc
}
