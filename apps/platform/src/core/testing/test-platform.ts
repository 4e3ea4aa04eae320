import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { buildApp } from '../http/app.ts'
import { openMailer } from '../mail/mailer.ts'
import { openFolderObjects } from '../objects/folder-objects.ts'
import type { Platform } from '../platform.ts'
import { apiVersionsOf, defineService, migrationsOf, noSettings, type Service } from '../service.ts'
import { testDatabase } from './test-database.ts'

export interface TestServer {
  app: FastifyInstance
  platform: Platform
  database: Database
  /** An `Authorization` header of a user made up for this test, or of the given one. */
  bearer: (roles: readonly string[], userId?: string) => Promise<{ authorization: string }>
  close: () => Promise<void>
}

const { privateKey, publicKey } = await generateKeyPair('ES256')
const keys = createLocalJWKSet({
  keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256' }],
})

/** Replaces the service that signs tokens. */
export const testKeys = defineService({
  name: 'test keys',
  settings: noSettings,
  open: () => keys,
  keySource: (keys) => keys,
  register: () => {},
})

/**
 * A server of the given services on a fresh database and folder; tokens are signed with a test key.
 */
export async function startTestServer(
  services: readonly Service[],
  overrides: Partial<Platform> = {},
): Promise<TestServer> {
  const database = await testDatabase(migrationsOf(services))
  const folder = await mkdtemp(join(tmpdir(), 'grove-test-'))
  const platform: Platform = {
    config: readConfig({
      GROVE_DATA: folder,
      GROVE_LOG: 'silent',
      // One account makes more changes here than people do.
      GROVE_CHANGES_PER_MINUTE: '0',
    }),
    env: {},
    database,
    db: database.db,
    objects: await openFolderObjects(join(folder, 'objects')),
    mailer: null,
    now: Date.now,
    apiVersions: apiVersionsOf(services),
    services: services.map(({ name }) => name),
    // A test that advances the clock would trigger unrelated sweeps.
    jobs: { hasRecurring: false },
    ...overrides,
  }
  platform.mailer ??= openMailer(platform.config)
  const hasKeys = services.some((service) => service.keySource !== undefined)
  const app = await buildApp(platform, hasKeys ? services : [...services, testKeys])
  return {
    app,
    platform,
    database,
    bearer: async (roles, userId = randomUUID()) => ({
      authorization: `Bearer ${await signTestToken(platform, roles, userId)}`,
    }),
    close: async () => {
      await app.close()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function signTestToken(
  platform: Platform,
  roles: readonly string[],
  userId: string,
): Promise<string> {
  const { issuer: iss, audience: aud } = platform.config.tokens
  return new SignJWT({ iss, aud, provider: platform.config.realm, roles: [...roles] })
    .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: 'at+jwt' })
    .setSubject(userId)
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(privateKey)
}
