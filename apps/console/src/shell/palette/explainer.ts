import type { I18n } from '@lingui/core'
import { createContext } from 'react'

export interface Explained {
  /** As displayed: `6A88`. */
  code: string
  meaning: string
  source: string | undefined
}

/** What the bytes are, such as an AID, and a short summary. */
export interface ExplainedBytes {
  kind: string
  summary: string
}

/** Explains what is typed; undefined if it is not a status word, or bytes that are not recognised. */
interface Words {
  explainStatus: (text: string, i18n: I18n) => Explained | undefined
  explainBytes: (text: string, i18n: I18n) => ExplainedBytes | undefined
}

/** Loads the texts about card bytes: they belong to a feature, and the route provides it. */
export const Explainer = createContext<(() => Promise<Words>) | undefined>(undefined)
