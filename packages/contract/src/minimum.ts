import type { CallKey } from './call.ts'

/** The calls that a Cedar and a Maple must offer for the console to work with them. */
export const minimum = {
  cedar: {
    'Account and session': ['GET /api/cedar/about', 'GET /api/user/info', 'GET /api/provider'],
    Apps: [
      'GET /api/developer/product',
      'POST /api/developer/product',
      'GET /api/developer/product/{id}',
      'PUT /api/developer/product/{id}',
      'DELETE /api/developer/product/{id}',
      'POST /api/developer/product/default/{id}',
      'PUT /api/developer/product/{id}/link',
      'DELETE /api/developer/product/{id}/link',
      'POST /api/storage/product/icon',
      'GET /api/{linkId}',
    ],
    Versions: [
      'GET /api/developer/productVersion',
      'POST /api/developer/productVersion',
      'GET /api/developer/productVersion/{id}',
      'PUT /api/developer/productVersion/{id}',
      'DELETE /api/developer/productVersion/{id}',
      'POST /api/storage/productVersion/image',
      'POST /api/storage/productVersion/miniApp',
      'GET /api/storage/productVersion/miniApp',
      'POST /api/cedar/apps/miniapps/share',
    ],
    Notifications: [
      'GET /api/notification',
      'POST /api/notification',
      'GET /api/notification/systemdata',
    ],
    Providers: [
      'GET /api/admin/provider',
      'PUT /api/admin/provider/{id}',
      'GET /api/cedar/provider',
      'POST /api/cedar/provider',
      'PUT /api/cedar/provider',
      'DELETE /api/cedar/provider',
      'POST /api/storage/provider/icon',
      'POST /api/cedar/user',
      'POST /api/cedar/apps/transfer',
      'POST /api/admin/wearable/unlink',
    ],
  },
  maple: {
    Overview: ['GET /api/maple/about'],
    Devices: [
      'GET /api/maple/device',
      'POST /api/maple/device',
      'PUT /api/maple/device',
      'DELETE /api/maple/device',
    ],
    'Service providers': [
      'GET /api/maple/service',
      'POST /api/maple/service',
      'DELETE /api/maple/service',
    ],
    'Accounts and roles': [
      'GET /api/maple/account',
      'POST /api/maple/account',
      'PUT /api/maple/account',
      'DELETE /api/maple/account',
      'GET /api/maple/roles',
      'POST /api/maple/roles',
      'DELETE /api/maple/roles',
    ],
    'Secure elements': [
      'GET /api/maple/se/element',
      'POST /api/maple/se/element',
      'DELETE /api/maple/se/element',
      'GET /api/maple/se/profiles',
      'POST /api/maple/se/profiles',
      'PUT /api/maple/se/profiles',
      'DELETE /api/maple/se/profiles',
      'GET /api/maple/se/domains',
      'POST /api/maple/se/domains',
      'POST /api/maple/se/hsm',
    ],
  },
} as const satisfies Record<string, Record<string, readonly CallKey[]>>

/**
 * Marks of fields (`answer-reader.rules.ts`) besides those that every item has: its `id` is needed,
 * and an absent `name` defaults to the id. By the beginning of a call's path.
 */
export const marks: Record<string, Record<string, string>> = {
  '/api/provider': { isDefault: '!' },
  '/api/admin/provider': { enabled: '!', isDefault: '!', authProvider: '~' },
  '/api/cedar/provider': { enabled: '!', isDefault: '!', authProvider: '~' },
  '/api/developer/productVersion': {
    enabled: '!',
    state: '=@enabled?live:ready',
    package: '~',
  },
  '/api/storage/productVersion': {
    enabled: '!',
    state: '=@enabled?live:ready',
    package: '~',
  },
  '/api/maple/se/element': {
    id: '=@cplc',
    cplc: '!',
    hsm: '~',
    device: '~',
    'profile.isAssigned': '~',
  },
  '/api/maple/device': {
    elements: '~',
    lastSeenAt: '~',
    serviceId: '~',
    productId: '~',
  },
  '/api/developer/product': { liveVersion: '~', newestVersion: '~' },
  '/api/maple/about': { devices: '!', elements: '!', services: '!', accounts: '!' },
  '/api/maple/account': { expiresAt: '~' },
  '/api/maple/se/profiles': { platform: '~' },
  '/api/maple/roles': { isKnown: '=true', mayGrant: '=true', rights: '~', grantedBy: '~' },
}
