import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import { StartupError } from '../../../../../core/startup-error.ts'

/** Files in PEM: the certificate chain of this server, and its key. */
export interface KeyFiles {
  certificate: string
  key: string
}

/** A renewed certificate is picked up within this many milliseconds. */
const watchMs = 5000

async function read({ certificate, key }: KeyFiles): Promise<SecureContext> {
  return createSecureContext({
    cert: await readFile(certificate),
    key: await readFile(key),
    minVersion: 'TLSv1.2',
    sessionIdContext: 'devices',
    // A resumed session would keep the certificate of that time.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  })
}

/**
 * This server's certificate for devices, reloaded when the files change. If they are unusable later,
 * the old ones stay, with a warning. @throws StartupError
 */
export async function openKeyFiles(
  files: KeyFiles,
  { warn, everyMs = watchMs }: { warn: (reason: string) => void; everyMs?: number },
): Promise<{ context: () => SecureContext; close: () => void }> {
  const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
  let context = await read(files).catch((error: unknown) => {
    throw new StartupError(
      `The certificate that devices are shown cannot be used: ${reasonOf(error)}. GROVE_DEVICE_TLS_CERT and GROVE_DEVICE_TLS_KEY name files in PEM.`,
      { cause: error },
    )
  })
  // One file changes before the other: the second change finds both.
  const changed = () => {
    read(files).then(
      (found) => (context = found),
      (error: unknown) => warn(reasonOf(error)),
    )
  }
  const names = [files.certificate, files.key]
  for (const name of names) watchFile(name, { interval: everyMs, persistent: false }, changed)
  return {
    context: () => context,
    close() {
      for (const name of names) unwatchFile(name, changed)
    },
  }
}
