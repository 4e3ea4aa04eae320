import type { ImageKey } from '@grove/contract/maple/connect/binary-image'
import {
  maxKeyNameLength,
  maxPemLength,
  maxImageKeys,
} from '@grove/contract/maple/connect/binary-image.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { CodeArea } from '../../../../ui/field/code-area.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { keyPath, keysQuery, refreshKeys } from './binary-image.api.ts'
import { algorithmNames } from './binary-image.labels.tsx'
import styles from './binary-image.module.css'

/** The public keys that images are verified with. */
export function ImageKeys({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { data, error, refetch } = useQuery(keysQuery())
  const [isAdding, setAdding] = useState(false)
  const keys = data?.items ?? []
  const remove = ({ id, name }: ImageKey) =>
    confirmed({
      question: {
        title: t`Remove “${name}”?`,
        text: t`Images can no longer be verified with it. Verified images stay verified.`,
        action: t`Remove`,
        isDanger: true,
      },
      change: () => api.maple.delete(keyPath, { query: { id } }),
      done: () => t`The key is removed.`,
      refresh: refreshKeys,
    })
  if (isAdding) return <AddKey onClose={() => setAdding(false)} />
  return (
    <Dialog
      title={t`Signing keys`}
      subtitle={t`Public keys. An image is verified if one of them signed it.`}
      size="content"
      closeLabel={t`Close`}
      onClose={onClose}
    >
      {error && !data && <PartFailure error={error} refetch={refetch} />}
      {data && keys.length === 0 && (
        <p className="muted">
          <Trans>
            No keys yet. Add the public key that you sign images with, as printed in PEM by imgtool
            getpub.
          </Trans>
        </p>
      )}
      <ul className={styles.keys}>
        {keys.map((key) => (
          <li key={key.id}>
            <div>
              <strong>{key.name}</strong>{' '}
              <span className="muted">{algorithmNames[key.algorithm]}</span>
              <p>
                <CopyableId value={key.keyHash} />
              </p>
              <p className="muted">
                <Trans>
                  Added <DateText value={key.createdAt} />
                </Trans>
              </p>
            </div>
            <button type="button" className="button small" onClick={() => void remove(key)}>
              <Trans>Remove…</Trans>
            </button>
          </li>
        ))}
      </ul>
      <PanelAction
        icon={Plus}
        label={t`Add a key`}
        refusal={
          keys.length >= maxImageKeys ? t`There are ${maxImageKeys} keys already.` : undefined
        }
        onAct={() => setAdding(true)}
      />
    </Dialog>
  )
}

function AddKey({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Add a signing key`}
      submitLabel={t`Add`}
      fields={{ name: useNameField(maxKeyNameLength) }}
      form={{
        values: { name: '', pem: '' },
        check: ({ pem }) => ({
          pem: pem.includes('PRIVATE KEY')
            ? t`This is a private key. Paste only the public key.`
            : pem.includes('PUBLIC KEY')
              ? undefined
              : t`Paste a public key that begins with -----BEGIN PUBLIC KEY-----.`,
        }),
        submit: (body) => api.maple.post(keyPath, { body }),
      }}
      done={() => t`The key is added.`}
      refresh={refreshKeys}
      onClose={onClose}
    >
      {(form) => (
        <CodeArea
          name="pem"
          label={t`Public key in PEM`}
          hint={t`ECDSA on P-256, RSA with 2048 bits, or Ed25519`}
          error={form.errors['pem']}
          maxLength={maxPemLength}
          value={form.values.pem}
          onChange={(pem) => form.set({ pem })}
        />
      )}
    </ChangeDialog>
  )
}
