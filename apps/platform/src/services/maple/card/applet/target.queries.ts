import type { AppletTarget } from '@grove/contract/maple/card/applet-operation'
import { targetSorting } from '@grove/contract/maple/card/applet-operation.rules'
import { defineTargets } from '../../../../core/batch/define-targets.ts'

export const {
  list: targetList,
  insert: insertTargets,
  started: startedTargets,
  next: nextTarget,
  update: setTargetProgress,
  finish: finishTarget,
  cancel: cancelWaiting,
} = defineTargets<AppletTarget, 'cplc'>({
  name: 'applet target',
  batch: 'maple.applet_operation',
  table: 'maple.applet_target',
  of: 'operation_id',
  key: 'cplc',
  sorting: targetSorting,
  columns: {
    step: 'text',
    sent: 'integer',
    blocks: 'integer',
    findings: 'jsonb',
    sessionId: 'text',
  },
  sums: {
    succeeded: 'succeeded',
    unchanged: 'unchanged',
    refused: 'failed',
    failed: 'failed',
    unknown: 'failed',
  },
})

export type TargetProgress = {
  [Fact in 'step' | 'sent' | 'blocks' | 'sessionId']?: NonNullable<AppletTarget[Fact]>
}
