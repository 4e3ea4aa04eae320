import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import { StartupError } from '../../../../../core/startup-error.ts'

/** Files in PEM: the certificate of this server with those above it, and its key. */
export interface KeyFiles {
  certificate: string
  key: string
}

/** A renewed certificate is taken within this many milliseconds. */
const watchMs = 5000

async function read({ certificate, key }: KeyFiles): Promise<SecureContext> {
  return createSecureContext({
    cert: await readFile(certificate),
    key: await readFile(key),
    minVersion: 'TLSv1.2',
    sessionIdContext: 'devices',
    // A device that comes back in an old session would show the certificate of that time.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  })
}

/**
 * What this server shows to devices, also after the files changed. Files that cannot be used later
 * leave what was there, with a warning. @throws StartupError
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
  // One of the files is new before the other is: the second change finds both.
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
