import { toHex } from '../../bytes.ts'
import { refuse } from '../refusal.ts'
import type { AppletModel } from './model.ts'

/** For applets without a model: stores what STORE DATA sends, and knows no command. */
export const stub: AppletModel = {
  name: 'stub',
  aids: [],
  install: () => ({}),
  process: () => refuse('unknownInstruction'),
  personalize(applet, data) {
    applet.write((kept) => {
      kept['personalization'] = (kept['personalization'] ?? '') + toHex(data)
    })
  },
}
