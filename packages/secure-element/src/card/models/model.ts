import type { Command } from '../../apdu.ts'

/** What a model works with: what the applet keeps, and what it forgets when another one is selected. */
export interface Applet {
  /** Hex by name, as it is after the last write. */
  readonly data: Readonly<Record<string, string>>
  session: Record<string, string>
  /** One write that happens or does not. */
  write(change: (data: Record<string, string>) => void): void
}

/** Answers in the place of an applet: no byte code runs. Refusals are thrown as status words. */
export interface AppletModel {
  name: string
  /** AIDs of instances or of modules that it answers for. */
  aids: readonly string[]
  /** What a new instance keeps. The parameters are those inside `C9` of INSTALL. */
  install(parameters: Uint8Array): Record<string, string>
  /** The data of the reply to a command. */
  process(applet: Applet, command: Command): Uint8Array
  /** STORE DATA after INSTALL [for personalization], all blocks together. */
  personalize?(applet: Applet, data: Uint8Array): void
}
