import type { ProviderRequest } from '@grove/contract/cedar/provider-request'
import { maxRequestTextLength } from '@grove/contract/cedar/provider-request.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Person } from '../../../people/person.tsx'
import { api } from '../../../session/api.ts'
import { ChangeDialog } from '../../../ui/dialog/change-dialog.tsx'
import { Field } from '../../../ui/field/field.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Rows } from '../../../ui/page/rows.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { useKeptFocus } from '../../../ui/page/use-kept-focus.ts'

const path = '/api/provider/request'
const limit = 20

const refresh = () =>
  Promise.all([
    api.cedar.invalidate(path),
    api.cedar.invalidate('/api/admin/provider'),
    api.cedar.invalidate('/api/provider'),
  ])

/** The provider requests that await an administrator; nothing if there are none. */
export function ProviderRequests() {
  const { t } = useLingui()
  const part = useRef<HTMLDivElement>(null)
  const { data } = useQuery({
    ...api.cedar.query(path, { query: { state: 'open', limit, order: 'asc' } }),
    refetchInterval: 60_000,
  })
  const items = data?.items ?? []
  useKeptFocus(part, items.length)
  return (
    <div ref={part} tabIndex={-1} style={{ marginBlockEnd: items.length > 0 ? 16 : 0 }}>
      {items.length > 0 && (
        <Section title={t`Requests for providers`}>
          <Rows aria-label={t`Requests for providers`}>
            {items.map((request) => (
              <RequestRow key={request.id} request={request} />
            ))}
          </Rows>
          {data?.next && (
            <p className="muted">
              <Trans>The oldest {limit}. The next ones follow once these are decided.</Trans>
            </p>
          )}
        </Section>
      )}
    </div>
  )
}

function RequestRow({ request }: { request: ProviderRequest }) {
  const { t } = useLingui()
  const [decision, setDecision] = useState<'approve' | 'refuse'>()
  const { name, purpose, requestedBy, createdAt } = request
  return (
    <li>
      <div>
        <bdi>
          <strong>{name}</strong>
        </bdi>
        <p>
          <bdi>{purpose}</bdi>
        </p>
        <p className="muted">
          <Person id={requestedBy} isLinked isByEmail /> · <DateText value={createdAt} isRelative />
        </p>
      </div>
      <div className="actions">
        <button
          type="button"
          className="button"
          aria-label={t`Approve the request for ${name}`}
          onClick={() => setDecision('approve')}
        >
          <Trans>Approve…</Trans>
        </button>
        <button
          type="button"
          className="button"
          aria-label={t`Refuse the request for ${name}`}
          onClick={() => setDecision('refuse')}
        >
          <Trans>Refuse…</Trans>
        </button>
      </div>
      {decision && (
        <DecideDialog
          request={request}
          isApproved={decision === 'approve'}
          onClose={() => setDecision(undefined)}
        />
      )}
    </li>
  )
}

interface DecideDialogProps {
  request: ProviderRequest
  isApproved: boolean
  onClose: () => void
}

function DecideDialog({ request, isApproved, onClose }: DecideDialogProps) {
  const { t } = useLingui()
  const { id, name, revision } = request
  return (
    <ChangeDialog
      title={isApproved ? t`Approve this request?` : t`Refuse this request?`}
      submitLabel={isApproved ? t`Approve` : t`Refuse`}
      form={{
        values: { reason: '' },
        check: ({ reason }) => ({
          reason: isApproved || reason.trim() !== '' ? undefined : t`Say why you refuse.`,
        }),
        submit: ({ reason }) =>
          api.cedar.put(path, {
            query: { id },
            body: { isApproved, ...(!isApproved && { reason }) },
            ifMatch: revision,
          }),
      }}
      done={() => (isApproved ? t`The provider is created.` : t`The request is refused.`)}
      refresh={refresh}
      onClose={onClose}
    >
      {(form) => (
        <>
          <p>
            <strong>{name}</strong>
          </p>
          {isApproved ? (
            <p>
              <Trans>
                The provider is created at once, and the person who requested it owns it.
              </Trans>
            </p>
          ) : (
            <Field
              label={t`Reason`}
              hint={t`The person who requested it sees it.`}
              maxLength={maxRequestTextLength}
              autoComplete="off"
              {...form.input('reason')}
            />
          )}
        </>
      )}
    </ChangeDialog>
  )
}
