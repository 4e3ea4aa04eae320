import { randomUUID } from 'node:crypto'
import { Refusal, startService, type Asked, type Handler } from './service.ts'

// A Cedar of somebody else: the calls and the fields of the specification (§3, §7), in memory.

interface Named {
  localeCode: string
  name: string
}
interface Provider {
  id: string
  ownerId: string
  isDefault: boolean
  enabled: boolean
  stage: string
  mobyApiKey: string | null
  translations: Named[]
  users: { id: string; owner: boolean; roles: string[] }[]
}
interface Product {
  productId: string
  translations: { localeCode: string; title: string }[]
  linkId?: string
}
interface Version {
  productVersionId: string
  productId: string
  version: string
  enabled: boolean
  translations: unknown
}

const english = 'en-US'

export function startCedar(jwksUrl: () => string) {
  const providers: Provider[] = [
    provider('Harbour Labs', 'someone', false),
    provider('Meadow Works', 'someone-else', false),
  ]
  const products: Product[] = ['Tide Table', 'Ferry Times'].map((title) => ({
    productId: randomUUID(),
    translations: [{ localeCode: english, title }],
  }))
  const versions: Version[] = [
    {
      productVersionId: randomUUID(),
      productId: products[0]?.productId ?? '',
      version: '1.0.0',
      enabled: true,
      translations: [{ localeCode: english, title: 'Tide Table' }],
    },
  ]
  const notifications: unknown[] = [
    {
      id: randomUUID(),
      productId: products[0]?.productId,
      providerId: providers[0]?.id,
      translations: [{ localeCode: english, title: 'High water', body: 'At noon' }],
    },
  ]

  function provider(name: string, ownerId: string, isDefault: boolean): Provider {
    return {
      id: randomUUID(),
      ownerId,
      isDefault,
      enabled: true,
      stage: 'TEST',
      mobyApiKey: null,
      translations: [{ localeCode: english, name }],
      users: [{ id: ownerId, owner: true, roles: ['DEVELOPER'] }],
    }
  }
  const found = <T>(value: T | undefined, what: string): T => {
    if (value === undefined) throw new Refusal(404, `There is no such ${what}`)
    return value
  }
  const productOf = (id: unknown) =>
    found(
      products.find(({ productId }) => productId === id),
      'product',
    )
  const versionOf = (id: unknown) =>
    found(
      versions.find(({ productVersionId }) => productVersionId === id),
      'version',
    )
  const providerOf = (id: unknown) =>
    found(
      providers.find((each) => each.id === id),
      'provider',
    )
  const drop = <T>(list: T[], one: T) => void list.splice(list.indexOf(one), 1)
  const needsAdmin =
    (handler: Handler): Handler =>
    (asked) => {
      if (!asked.caller.roles.includes('ADMIN')) throw new Refusal(403, 'For administrators')
      return handler(asked)
    }
  const ownOf = ({ caller }: Asked) => {
    const mine = providers.filter(({ ownerId }) => ownerId === caller.userId)
    if (mine.length > 0) return mine
    const personal = provider('Personal', caller.userId, true)
    providers.push(personal)
    return [personal]
  }

  return startService(
    {
      'GET /api/user/info': ({ caller }) => ({
        user_id: caller.userId,
        roles: caller.roles,
        is_admin: caller.roles.includes('ADMIN'),
        is_developer: true,
        is_expired: false,
        is_valid: true,
        provider: caller.provider,
      }),
      'GET /api/provider': ownOf,
      'GET /api/admin/provider': needsAdmin(() => providers),
      'PUT /api/admin/provider/{id}': needsAdmin(({ params, body }) =>
        Object.assign(providerOf(params['id']), body),
      ),
      'GET /api/cedar/provider': ({ query }) => providerOf(query.get('provider')),
      'POST /api/cedar/provider': needsAdmin(({ caller, body }) => {
        const made = provider(String(body['name']), caller.userId, false)
        providers.push(made)
        return made
      }),
      'PUT /api/cedar/provider': needsAdmin(({ body }) => {
        const one = providerOf(body['provider'])
        one.translations = [{ localeCode: english, name: String(body['name']) }]
        return one
      }),
      'DELETE /api/cedar/provider': needsAdmin(({ query }) =>
        drop(providers, providerOf(query.get('provider'))),
      ),
      'POST /api/cedar/user': needsAdmin(({ body }) => providerOf(body['provider'])),
      'POST /api/cedar/apps/transfer': needsAdmin(({ body }) => {
        providerOf(body['provider_id'])
        return { productIds: products.map(({ productId }) => productId) }
      }),
      'POST /api/admin/wearable/unlink': needsAdmin(({ body }) => ({ innerId: body['innerId'] })),
      'GET /api/developer/product': () => products,
      'POST /api/developer/product': ({ body }) => {
        const made = { productId: randomUUID(), ...body } as Product
        products.unshift(made)
        return made
      },
      'GET /api/developer/product/{id}': ({ params }) => productOf(params['id']),
      'PUT /api/developer/product/{id}': ({ params, body }) =>
        Object.assign(productOf(params['id']), body),
      'DELETE /api/developer/product/{id}': ({ params }) => drop(products, productOf(params['id'])),
      'POST /api/developer/product/default/{id}': ({ params }) => productOf(params['id']),
      'PUT /api/developer/product/{id}/link': ({ params }) =>
        Object.assign(productOf(params['id']), { linkId: 'Tide123' }),
      'DELETE /api/developer/product/{id}/link': ({ params }) => {
        const { linkId: _, ...rest } = productOf(params['id'])
        return rest
      },
      'GET /api/developer/productVersion': ({ query }) =>
        versions.filter(({ productId }) => productId === query.get('productId')),
      'POST /api/developer/productVersion': ({ body }) => {
        const made = { productVersionId: randomUUID(), enabled: false, ...body } as Version
        versions.unshift(made)
        return made
      },
      'GET /api/developer/productVersion/{id}': ({ params }) => versionOf(params['id']),
      'PUT /api/developer/productVersion/{id}': ({ params, body }) =>
        Object.assign(versionOf(params['id']), body),
      'DELETE /api/developer/productVersion/{id}': ({ params }) =>
        drop(versions, versionOf(params['id'])),
      'POST /api/storage/product/icon': () => products[0],
      'POST /api/storage/provider/icon': () => providers[0],
      'POST /api/storage/productVersion/image': () => versions[0],
      'POST /api/storage/productVersion/miniApp': () => versions[0],
      'POST /api/cedar/apps/miniapps/share': ({ body }) => ({ url: body['url'] }),
      'GET /api/notification/systemdata': () => ({ locales: [english], quota: [] }),
      'GET /api/notification': () => notifications,
      'POST /api/notification': ({ body }) => {
        const made = { id: randomUUID(), ...body }
        notifications.unshift(made)
        return made
      },
      'GET /api/{linkId}': ({ params }) =>
        found(
          products.find(({ linkId }) => linkId === params['linkId']),
          'link',
        ),
    },
    jwksUrl,
  )
}
