import { onDemand } from '../../../../ui/kit/on-demand.tsx'

/** A dialog that decodes pasted bytes; its code and texts load when it is about to open. */
export const DecodeDialog = onDemand(
  () => import('./decode-dialog.tsx').then((module) => module.DecodeDialog),
  'decode',
)

/** A CPLC as a map of its bytes, with its fields in a table. */
export const CplcView = onDemand(
  () => import('./cplc-view.tsx').then((module) => module.CplcView),
  'decode',
)
