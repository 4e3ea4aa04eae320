import type { MapleAbout } from '@grove/contract/maple/about'
import { expiringDays } from '@grove/contract/maple/access/account.rules'
import { growthDays } from '@grove/contract/maple/about.rules'
import { deviceSeen, deviceStates, deviceTypes } from '@grove/contract/maple/fleet/device.rules'
import type { AnyActor } from '../../../core/actor.ts'
import { scopeOf, serviceOf } from '../../../core/scope.ts'
import { apiVersion } from '../context.ts'
import type { CredentialContext } from '../connect/context.ts'
import { isAttached } from '../fleet/element/element-filter.ts'
import { readBroker } from '../connect/gateway/broker/broker.queries.ts'
import type { KeyContext } from '../card/key/key-provider.ts'
import { countAttention } from './about.queries.ts'
import { tallies } from '../base/tally.queries.ts'

const dayMs = 86_400_000

/**
 * Information about the service and its contents, within a scope those of its service provider; the
 * cost is independent of the amount.
 */
export async function aboutMaple(
  { db, now, keys, settings }: KeyContext & Pick<CredentialContext, 'settings'>,
  actor: AnyActor,
): Promise<MapleAbout> {
  const scope = scopeOf(actor)
  const at = now()
  const days = Array.from({ length: growthDays }, (_, ago) => dayOf(at - ago * dayMs)).toReversed()
  const hasBroker = settings.brokerUrl !== undefined && serviceOf(scope) === null
  const [counted, { failed, ...attention }, problem, broker] = await Promise.all([
    tallies(db, at, { since: days[0] ?? dayOf(at), scope }),
    countAttention(db, { now: timeOf(at), soon: timeOf(at + expiringDays * dayMs), scope }),
    keys.hsm?.check(),
    hasBroker ? readBroker(db) : null,
  ])
  const countOf = (subject: string, key: string) =>
    counted.find((tally) => tally.subject === subject && tally.key === key)?.count ?? 0
  const groups = deviceTypes.flatMap((type) =>
    deviceStates.map((state) => ({ type, state, count: countOf('device', `${type} ${state}`) })),
  )
  const elements = counted
    .filter(({ subject }) => subject === 'element')
    .map(({ key, count }) => ({ isAttached: isAttached(Number(key)), count }))
  const attached = sumOf(elements.filter((each) => each.isAttached))
  const suspended = countOf('service', 'suspended')
  return {
    name: 'maple',
    apiVersion,
    countedAt: timeOf(at),
    devices: {
      count: sumOf(groups),
      groups,
      seen: deviceSeen.map((seen) => ({ seen, count: countOf('device seen', seen) })),
      registered: days.map((day) => ({ day, count: countOf('device created', day) })),
    },
    elements: { count: sumOf(elements), attached },
    services: { count: countOf('service', 'active') + suspended, suspended },
    accounts: { count: countOf('account', 'all'), ...attention },
    jobs: { failed },
    hsm: problem === undefined ? null : { isReachable: !problem, problem: problem?.code ?? null },
    broker,
  }
}

const sumOf = (counted: readonly { count: number }[]) =>
  counted.reduce((sum, { count }) => sum + count, 0)

const timeOf = (time: number) => new Date(time).toISOString()
const dayOf = (time: number) => timeOf(time).slice(0, 10)
