import { encodeCommand } from '@grove/secure-element/apdu'
import { toHex } from '@grove/secure-element/bytes'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import type { MapleDb } from '../../base/tables.ts'
import { domainsOf } from '../domain/domain.queries.ts'
import { liveSets } from '../key/key.queries.ts'
import { nearestFirst } from '../key/key-source.ts'
import { hashFor, hashOf } from '../purpose-key/load-file-hash.ts'
import type { AppletFacts } from './applet.queries.ts'
import { commandOf } from './card-actions.ts'
import type { OperationPlan } from './plan-operation.ts'

/** The commands of a plan for which a card's domain needs tokens, according to Grove's records. */
export async function commandsToSign(
  db: MapleDb,
  {
    cplc,
    domain,
    applet,
    cap,
    plan,
  }: { cplc: string; domain: string; applet: AppletFacts; cap: CapFile; plan: OperationPlan },
): Promise<string[]> {
  const own = (await domainsOf(db, cplc)).find(({ aid }) => aid === domain)
  if (own?.privileges.includes('authorizedManagement')) return []
  const [set] = nearestFirst(await liveSets(db, cplc), domain)
  const hash = hashOf(cap, hashFor(set?.protocol ?? 'SCP03'))
  return plan.actions.map((action) =>
    toHex(encodeCommand(commandOf(applet, action, { domain, hash }))),
  )
}
