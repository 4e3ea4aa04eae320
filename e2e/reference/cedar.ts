import { randomUUID } from 'node:crypto'
import { Refusal, startService, type Asked, type Handler } from './service.ts'

// A third-party Cedar: the calls and the fields of the specification (§3, §7), in memory.

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
  users: { userId: string; isOwner: boolean; roles: string[] }[]
}
interface Product {
  productId: string
  providerId: string | undefined
  translations: { localeCode: string; title: string }[]
  linkId: string | null
  iconUrl: string | null
}
interface Version {
  productVersionId: string
  productId: string
  version: string
  enabled: boolean
  translations: { localeCode: string; title: string; description?: string }[]
  images: unknown[]
  package: Package | null
}
interface Package {
  fileName: string
  bytes: number
  sha256: string
  uploadedAt: string
}

const english = 'en-US'

const packageOf = (file: File): Package => ({
  fileName: file.name,
  bytes: file.size,
  sha256: randomUUID(),
  uploadedAt: new Date().toISOString(),
})

export function startCedar(jwksUrl: () => string) {
  const providers: Provider[] = [
    provider('Harbour Labs', 'someone', false),
    provider('Meadow Works', 'someone-else', false),
  ]
  const products: Product[] = ['Tide Table', 'Ferry Times'].map((title) => ({
    productId: randomUUID(),
    providerId: providers[0]?.id,
    translations: [{ localeCode: english, title }],
    linkId: null,
    iconUrl: null,
  }))
  const versions: Version[] = [
    {
      productVersionId: randomUUID(),
      productId: products[0]?.productId ?? '',
      version: '1.0.0',
      enabled: true,
      translations: [{ localeCode: english, title: 'Tide Table', description: 'High and low' }],
      images: [],
      package: packageOf(new File(['zip'], 'tide-table.zip')),
    },
  ]
  const packages = new Map<string, File>()
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
      users: [{ userId: ownerId, isOwner: true, roles: ['DEVELOPER'] }],
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
    // With a key it is a working stage.
    const stage = { ...provider('Dock Works', caller.userId, false), mobyApiKey: 'key' }
    const own = [
      provider('Personal', caller.userId, true),
      ...(caller.roles.includes('ADMIN') ? [] : [stage]),
    ]
    providers.push(...own)
    return own
  }

  return startService(
    {
      'GET /api/cedar/about': () => ({ name: 'harbour' }),
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
        const { name } = body
        if (typeof name === 'string') one.translations = [{ localeCode: english, name }]
        return one
      }),
      'DELETE /api/cedar/provider': needsAdmin(({ query }) =>
        drop(providers, providerOf(query.get('provider'))),
      ),
      'POST /api/cedar/user': needsAdmin(({ body }) => {
        const one = providerOf(body['provider'])
        const id = String(body['user'])
        one.users = one.users.filter(({ userId }) => userId !== id)
        if (body['action'] === 'link')
          one.users.push({ userId: id, isOwner: false, roles: ['DEVELOPER'] })
        return one
      }),
      'POST /api/cedar/apps/transfer': needsAdmin(({ body }) => {
        providerOf(body['provider_id'])
        return { productIds: products.map(({ productId }) => productId) }
      }),
      'POST /api/admin/wearable/unlink': needsAdmin(({ body }) => ({ innerId: body['innerId'] })),
      'GET /api/developer/product': () => products,
      'POST /api/developer/product': ({ body }) => {
        const made = { linkId: null, iconUrl: null, ...body, productId: randomUUID() } as Product
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
      'DELETE /api/developer/product/{id}/link': ({ params }) =>
        Object.assign(productOf(params['id']), { linkId: null }),
      'GET /api/developer/productVersion': ({ query }) =>
        versions.filter(({ productId }) => productId === query.get('productId')),
      'POST /api/developer/productVersion': ({ body }) => {
        const { translations } = productOf(body['productId'])
        const made: Version = {
          productVersionId: randomUUID(),
          productId: String(body['productId']),
          version: String(body['version']),
          enabled: false,
          translations: [...translations],
          images: [],
          package: null,
        }
        versions.unshift(made)
        return made
      },
      'GET /api/developer/productVersion/{id}': ({ params }) => versionOf(params['id']),
      'PUT /api/developer/productVersion/{id}': ({ params, body }) => {
        const one = versionOf(params['id'])
        if (body['enabled'] === true)
          for (const other of versions) if (other.productId === one.productId) other.enabled = false
        return Object.assign(one, body)
      },
      'DELETE /api/developer/productVersion/{id}': ({ params }) =>
        drop(versions, versionOf(params['id'])),
      'POST /api/storage/product/icon': ({ body }) => productOf(body['productId']),
      'POST /api/storage/provider/icon': ({ body }) => providerOf(body['providerId']),
      'POST /api/storage/productVersion/image': ({ body }) => versionOf(body['productVersionId']),
      'POST /api/storage/productVersion/miniApp': ({ body }) => {
        const one = versionOf(body['productVersionId'])
        const file = body['file']
        if (!(file instanceof File)) throw new Refusal(400, 'There is no file')
        packages.set(one.productVersionId, file)
        one.package = packageOf(file)
        return one
      },
      'GET /api/storage/productVersion/miniApp': ({ query }) =>
        found(packages.get(query.get('productVersionId') ?? ''), 'package'),
      'POST /api/cedar/apps/miniapps/share': ({ body }) => {
        const { productId } = versionOf(body['version_id'])
        return { productId, url: body['url'] }
      },
      'GET /api/notification/systemdata': () => ({ locales: [english], quota: [] }),
      'GET /api/notification': () => notifications,
      'POST /api/notification': ({ body }) => {
        const made = { id: randomUUID(), ...body }
        notifications.unshift(made)
        return made
      },
      'GET /api/{linkId}': ({ params }) =>
        found(
          versions.find(
            ({ enabled, productId }) => enabled && productOf(productId).linkId === params['linkId'],
          ),
          'link',
        ),
    },
    jwksUrl,
  )
}
