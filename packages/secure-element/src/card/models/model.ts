import type { Command } from '../../apdu.ts'

/**
 * What a model works with: the applet's persistent state, and state that is lost when another one is
 * selected.
 */
export interface Applet {
  /** Hex by name, as of the last write. */
  readonly data: Readonly<Record<string, string>>
  session: Record<string, string>
  /** One atomic write. */
  write(change: (data: Record<string, string>) => void): void
}

/** Simulates an applet without running byte code. Refusals are thrown as status words. */
export interface AppletModel {
  name: string
  /** AIDs of instances or modules that it simulates. */
  aids: readonly string[]
  /** The state of a new instance. The parameters are those inside `C9` of INSTALL. */
  install(parameters: Uint8Array): Record<string, string>
  /** The reply data of a command. */
  process(applet: Applet, command: Command): Uint8Array
  /** STORE DATA after INSTALL [for personalization], all blocks concatenated. */
  personalize?(applet: Applet, data: Uint8Array): void
}
