import { randomUUID } from 'node:crypto'
import { Refusal, startService, type Handler } from './service.ts'

// A third-party Maple: the calls and the fields of the specification (§3, §7), in memory.

interface Account {
  id: string
  roles: string[]
  expiresAt?: string
}
interface Item {
  id: string
  [field: string]: unknown
}
interface Element {
  id: string
  cplc: string
  profile: { id: string; name: string } | null
  hsm: boolean
}

interface Domain {
  aid: string
}

/** CPLCs of 42 bytes as hex. */
export const cplcs = ['01', '02'].map(
  (last) =>
    `47906B644700E4D8030022350123456700000000000000000000000000000000000000000000000000${last}`,
)

export function startMaple(jwksUrl: () => string) {
  const devices: Item[] = [
    { id: 'gate-1', model: 'G1', created: '2026-03-01T09:30:00+03:00' },
    { id: 'gate-2', model: 'G1', created: '2026-03-01T09:30:00+03:00' },
    { id: randomUUID(), name: 'Lighthouse', createdAt: '2026-03-01T09:30:00Z' },
  ]
  const services: Item[] = [{ id: 'acme-wearables', createdAt: '2026-03-01T09:30:00Z' }]
  const accounts: Account[] = [
    { id: randomUUID(), roles: ['operator'], expiresAt: '2027-01-01T00:00:00Z' },
    { id: randomUUID(), roles: ['operator'] },
  ]
  const transit = { id: 'transit-card', name: 'Transit card' }
  const elements: Element[] = cplcs.map((cplc, at) => ({
    id: randomUUID(),
    cplc,
    profile: at === 0 ? transit : null,
    hsm: false,
  }))
  const profiles: Item[] = [transit]
  const domains = new Map<string, Domain[]>()

  const byId = <T extends { id: string }>(list: T[], id: unknown, what: string): T => {
    const one = list.find((each) => each.id === id)
    if (!one) throw new Refusal(404, `There is no ${what} ${String(id)}`)
    return one
  }
  const elementOf = (cplc: unknown) => {
    const one = elements.find((each) => each.cplc === cplc)
    if (!one) throw new Refusal(404, 'There is no such element')
    return one
  }
  const asList =
    (list: { id: string }[]): Handler =>
    ({ query }) => {
      const id = query.get('id')
      return id === null ? list : list.filter((each) => each.id === id)
    }
  const drop = <T>(list: T[], one: T) => void list.splice(list.indexOf(one), 1)
  const add = <T>(list: T[], one: T) => {
    list.unshift(one)
    return one
  }

  return startService(
    {
      'GET /api/maple/about': () => ({
        name: 'reference',
        devices: { count: devices.length },
        elements: { count: elements.length },
        services: { count: services.length },
        accounts: { count: accounts.length },
      }),
      'GET /api/maple/device': asList(devices),
      'POST /api/maple/device': ({ body }) => add(devices, { id: randomUUID(), ...body }),
      'PUT /api/maple/device': ({ query, body }) =>
        Object.assign(byId(devices, query.get('id'), 'device'), body),
      'DELETE /api/maple/device': ({ query }) =>
        drop(devices, byId(devices, query.get('id'), 'device')),
      'GET /api/maple/service': asList(services),
      'POST /api/maple/service': ({ body }) => add(services, body as Item),
      'DELETE /api/maple/service': ({ query }) =>
        drop(services, byId(services, query.get('id'), 'service')),
      'GET /api/maple/account': asList(accounts),
      'POST /api/maple/account': ({ body }) =>
        add(accounts, { roles: [], ...body } as unknown as Account),
      'PUT /api/maple/account': ({ query, body }) =>
        Object.assign(byId(accounts, query.get('id'), 'account'), body),
      'DELETE /api/maple/account': ({ query }) =>
        drop(accounts, byId(accounts, query.get('id'), 'account')),
      'GET /api/maple/roles': () => ['operator', 'auditor'],
      'POST /api/maple/roles': ({ query }) => {
        const account = byId(accounts, query.get('id'), 'account')
        account.roles.push(query.get('role') ?? '')
        return account
      },
      'DELETE /api/maple/roles': ({ query }) => {
        const account = byId(accounts, query.get('id'), 'account')
        account.roles = account.roles.filter((role) => role !== query.get('role'))
        return account
      },
      'GET /api/maple/se/element': ({ query }) => {
        const cplc = query.get('cplc')
        return cplc === null ? elements : elements.filter((each) => each.cplc === cplc)
      },
      'POST /api/maple/se/element': ({ body }) =>
        add(elements, { id: randomUUID(), profile: null, hsm: false, cplc: String(body['cplc']) }),
      'DELETE /api/maple/se/element': ({ query }) => drop(elements, elementOf(query.get('cplc'))),
      'GET /api/maple/se/profiles': () => profiles,
      'POST /api/maple/se/profiles': ({ body }) => add(profiles, body as Item),
      'PUT /api/maple/se/profiles': ({ body }) => {
        const { id, name } = byId(profiles, body['profile_id'], 'profile')
        return Object.assign(elementOf(body['cplc']), { profile: { id, name: String(name) } })
      },
      'DELETE /api/maple/se/profiles': ({ query }) =>
        drop(profiles, byId(profiles, query.get('id'), 'profile')),
      'GET /api/maple/se/domains': ({ query }) => domains.get(query.get('cplc') ?? '') ?? [],
      'POST /api/maple/se/domains': ({ query, body }) => {
        const cplc = String(body['cplc'])
        const given = body['domains'] as Domain[]
        const left = (domains.get(cplc) ?? []).filter(
          ({ aid }) => query.get('replace') !== 'true' && given.every((each) => each.aid !== aid),
        )
        const next = [...left, ...given]
        if (query.get('dryRun') !== 'true') domains.set(cplc, next)
        return next
      },
      'POST /api/maple/se/hsm': ({ body }) =>
        Object.assign(elementOf(body['cplc']), { hsm: body['enable'] === true }),
    },
    jwksUrl,
  )
}
