import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts oidc-provider for the page on this origin, in a separate process. */
export async function startProvider(page: string) {
  const file = fileURLToPath(new URL('provider.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, page], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { issuer: line.toString().trim(), stop: () => child.kill() }
}
