import { freePort } from '../../apps/platform/src/core/testing/free-port.ts'
import { openCertificates } from '../../apps/platform/src/services/maple/connect/gateway/testing/openssl.ts'
import { test as base } from './own-platform.ts'

interface Tls {
  /** Where devices connect. */
  url: string
  /** Its certificate, which the devices trust. */
  server: { cert: string; key: string }
  /** Creates further keys and certificates. */
  made: ReturnType<typeof openCertificates>
}

interface Place {
  tls: Tls
  platformEnv: Record<string, string>
}

/** The tests of one worker share a platform that accepts devices over TLS. */
export const test = base.extend<object, Place>({
  tls: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
    async ({}, use) => {
      const made = openCertificates()
      const server = made.makeRoot('localhost', { extensions: ['subjectAltName=DNS:localhost'] })
      await use({ url: `https://localhost:${await freePort()}`, server, made })
      made.close()
    },
    { scope: 'worker' },
  ],
  platformEnv: [
    async ({ tls }, use) =>
      use({
        GROVE_DEVICE_TLS_PORT: new URL(tls.url).port,
        GROVE_DEVICE_TLS_CERT: tls.server.cert,
        GROVE_DEVICE_TLS_KEY: tls.server.key,
      }),
    { scope: 'worker' },
  ],
})
