import { sql } from 'kysely'
import type { CardState, NewCard } from '@grove/secure-element/card/card-state'
import type { PrivilegeName } from '@grove/secure-element/privileges'
import type { SessionServer } from './session-server.ts'

export const domain = 'A0000001515350410001'

export async function stateOf({ db }: Pick<SessionServer, 'db'>, cplc: string): Promise<CardState> {
  const { rows } = await sql<{ state: CardState }>`
    select state from maple.software_card where cplc = ${cplc}`.execute(db)
  if (!rows[0]) throw new Error('there is no such card')
  return rows[0].state
}

/** Adds a domain without keys of its own, as another host would. */
export async function addDomain(
  server: Pick<SessionServer, 'db'>,
  cplc: string,
  privileges: readonly PrivilegeName[] = ['trustedPath'],
): Promise<void> {
  const state = await stateOf(server, cplc)
  state.applications.push({
    aid: domain,
    loadFileAid: 'A0000001515350',
    moduleAid: 'A000000151535041',
    domainAid: state.issuerAid,
    lifeCycle: 0x07,
    privileges: ['securityDomain', ...privileges],
    parameters: 'C900',
    quota: {},
    reserved: {},
    model: 'securityDomain',
    data: {},
    domain: { implementation: state.implementation, keySets: [], objects: {} },
  })
  await sql`update maple.software_card set state = ${JSON.stringify(state)}::jsonb, version = version + 1
    where cplc = ${cplc}`.execute(server.db)
}

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
