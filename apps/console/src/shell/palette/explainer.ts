import type { I18n } from '@lingui/core'
import { createContext } from 'react'

export interface Explained {
  /** As it is written: `6A88`. */
  code: string
  meaning: string
  source: string | undefined
}

/** Explains what a status word means; undefined for what is none. */
interface Words {
  explainStatus: (text: string, i18n: I18n) => Explained | undefined
}

/** Loads the words of the bytes of cards: a feature has them, and the route brings it. */
export const Explainer = createContext<(() => Promise<Words>) | undefined>(undefined)
