import { fingerprint } from './fingerprint.ts'
import type { AppletModel } from './model.ts'
import { ndef } from './ndef.ts'
import { stub } from './stub.ts'
import { wallet } from './wallet.ts'

/** Models of applets. */
export const appletModels: readonly AppletModel[] = [ndef, fingerprint, wallet]

/** The model of an instance: by its AID, by that of its module, or else a stub. */
export const modelOf = (instanceAid: string, moduleAid: string): AppletModel =>
  appletModels.find(({ aids }) => aids.includes(instanceAid)) ??
  appletModels.find(({ aids }) => aids.includes(moduleAid)) ??
  stub

export const modelNamed = (name: string): AppletModel =>
  appletModels.find((each) => each.name === name) ?? stub
