import type { RolloutPolicy } from '@grove/contract/maple/rollout/rollout'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { invalidate } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { ChangeDialog } from '../../../ui/dialog/change-dialog.tsx'
import { Dialog } from '../../../ui/dialog/dialog.tsx'

const path = '/api/maple/rollouts/policy'

/** Whether each rollout of the service provider needs a second person's approval. */
export function PolicyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const { data } = useQuery(api.maple.query(path, {}))
  if (data?.rights.change === null) return <PolicyForm policy={data} onClose={onClose} />
  return (
    <Dialog title={t`Approval of rollouts`} onClose={onClose}>
      <p>
        {data === undefined ? (
          <Trans>Loading…</Trans>
        ) : data.needsApproval ? (
          <Trans>Another person must approve each rollout before it starts.</Trans>
        ) : (
          <Trans>A rollout starts without the approval of another person.</Trans>
        )}
      </p>
      {data && (
        <p className="muted">
          <Trans>People with the right to approve can change this.</Trans>
        </p>
      )}
    </Dialog>
  )
}

function PolicyForm({ policy, onClose }: { policy: RolloutPolicy; onClose: () => void }) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Approval of rollouts`}
      submitLabel={t({ message: 'Save', context: 'the approval of rollouts' })}
      form={{
        values: { needsApproval: policy.needsApproval },
        submit: (body) => api.maple.put(path, { body }),
      }}
      done={() => t`The approval of rollouts is saved.`}
      refresh={() => invalidate('maple', path)}
      onClose={onClose}
    >
      {(form) => (
        <div className="field">
          <label>
            <input
              type="checkbox"
              checked={form.values.needsApproval}
              onChange={({ target }) => form.set({ needsApproval: target.checked })}
            />{' '}
            <Trans>Another person must approve each rollout before it starts</Trans>
          </label>
          <p className="field-hint">
            <Trans>Rollouts that have started continue as they are.</Trans>
          </p>
        </div>
      )}
    </ChangeDialog>
  )
}
