import type { I18n } from '@lingui/core'
import { createContext } from 'react'

export interface Explained {
  /** As it is written: `6A88`. */
  code: string
  meaning: string
  source: string | undefined
}

/** What bytes are, such as an AID, and what they say in short. */
export interface ExplainedBytes {
  kind: string
  summary: string
}

/** Explain what is typed; undefined for what is no status word, or no bytes that are known. */
interface Words {
  explainStatus: (text: string, i18n: I18n) => Explained | undefined
  explainBytes: (text: string, i18n: I18n) => ExplainedBytes | undefined
}

/** Loads the words of the bytes of cards: a feature has them, and the route brings it. */
export const Explainer = createContext<(() => Promise<Words>) | undefined>(undefined)
