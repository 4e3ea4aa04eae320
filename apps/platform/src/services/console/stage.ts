import type { ConsoleSettings } from './settings.ts'

/** The stage configuration of the console. */
export interface StageConfiguration {
  stage: string
  default: ConsoleSettings['addresses']
  settings: { authApiVersion: string; cedarApiVersion: string; mapleApiVersion: string }
}

export function stageConfiguration(
  { stage, addresses }: ConsoleSettings,
  apiVersions: Readonly<Record<string, string>>,
): StageConfiguration {
  const versionOf = (service: string): string => {
    const version = apiVersions[service]
    if (version === undefined) throw new Error(`No api-version is known for ${service}.`)
    return version
  }
  return {
    stage,
    default: addresses,
    settings: {
      authApiVersion: versionOf('auth'),
      cedarApiVersion: versionOf('cedar'),
      mapleApiVersion: versionOf('maple'),
    },
  }
}
