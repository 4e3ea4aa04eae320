import type { Config } from '../core/config.ts'
import { isLoopbackName, readSwitch, type Environment } from '../core/environment.ts'
import { StartupError } from '../core/startup-error.ts'

/** Whether to create the sample accounts and apps on first start. */
export function readSample(env: Environment, config: Config): boolean {
  const { host, isLocal, isProduction, trustsProxy } = config
  // `on` creates sample accounts with a public password: only if nobody else can reach them.
  if (!readSwitch(env, 'GROVE_SAMPLE', isLocal)) return false
  if (isProduction)
    throw new StartupError(
      'GROVE_SAMPLE is on with GROVE_ENV=production: sample accounts have a public password. Set GROVE_SAMPLE=off.',
    )
  if (!isLoopbackName(host))
    throw new StartupError(
      `GROVE_SAMPLE is on while GROVE_HOST is ${host}: sample accounts have a public password. Set GROVE_SAMPLE=off or GROVE_HOST=127.0.0.1.`,
    )
  if (trustsProxy)
    throw new StartupError(
      'GROVE_SAMPLE is on with GROVE_TRUST_PROXY=on: others come through the proxy, and sample accounts have a public password. Set GROVE_SAMPLE=off.',
    )
  return true
}
