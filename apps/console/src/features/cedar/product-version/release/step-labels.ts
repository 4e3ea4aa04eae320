import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  LoaderCircle,
  OctagonX,
  type LucideIcon,
} from 'lucide-react'
import type { StepName, StepState } from './steps.ts'

export const stepLabels: Record<StepName, MessageDescriptor> = {
  package: msg`Package`,
  listing: msg`Listing`,
  screenshots: msg`Screenshots`,
  release: msg`Release`,
}
export const stepShapes: Record<StepState, LucideIcon> = {
  done: CircleCheck,
  recommended: CircleDashed,
  todo: Circle,
  checking: LoaderCircle,
  refused: OctagonX,
  unknown: CircleHelp,
}
export const stepWords: Record<StepState, MessageDescriptor> = {
  done: msg({ message: 'Done', context: 'of a step' }),
  recommended: msg({ message: 'Recommended', context: 'of a step' }),
  todo: msg({ message: 'To do', context: 'of a step' }),
  checking: msg`Checking`,
  refused: msg({ message: 'Rejected', context: 'of a package' }),
  unknown: msg({ message: 'Unknown', context: 'of a step' }),
}
