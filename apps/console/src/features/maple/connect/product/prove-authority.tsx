import type { CertificateAuthority } from '@grove/contract/maple/connect/certificate-authority'
import {
  maxSignatureLength,
  signaturePattern,
} from '@grove/contract/maple/connect/certificate-authority.rules'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { addProblemTexts } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { CodeArea } from '../../../../ui/field/code-area.tsx'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { authorityPath, refreshAuthorities } from '../certificate/certificate.api.ts'
import { proofCommand } from './authority.api.ts'
import styles from './product.page.module.css'

addProblemTexts({
  wrongSignature: msg`This was not created by the command with this certificate’s key.`,
})

interface ProveAuthorityProps {
  authority: CertificateAuthority
  challenge: string
  onClose: () => void
}

/** Proves that the reader holds an authority's private key: its certificate alone is public. */
export function ProveAuthority({ authority, challenge, onClose }: ProveAuthorityProps) {
  const { t } = useLingui()
  const { id, name } = authority
  const command = proofCommand(challenge)
  return (
    <ChangeDialog<{ signature: string }, CertificateAuthority>
      title={t`Prove ownership of “${name}”`}
      submitLabel={t`Prove`}
      form={{
        values: { signature: '' },
        check: ({ signature }) => ({
          signature: new RegExp(signaturePattern).test(signature.trim())
            ? undefined
            : t`Paste the output of the command: letters, digits, + and /.`,
        }),
        submit: ({ signature }) =>
          api.maple.post(`${authorityPath}/{id}/proof`, {
            params: { id },
            body: { signature: signature.trim() },
          }),
      }}
      done={() => t`The key is yours. Devices can connect with certificates of “${name}”.`}
      refresh={refreshAuthorities}
      onClose={onClose}
    >
      {(form) => (
        <>
          <p>
            <Trans>
              Run this where ca.key is, and paste its output. It proves that the key is yours; the
              key stays with you.
            </Trans>
          </p>
          <div className={styles.copied}>
            <code>{command}</code>
            <CopyButton value={command} label={t`Copy the command`} />
          </div>
          <CodeArea
            name="signature"
            label={t`Signature`}
            error={form.errors['signature']}
            rows={4}
            maxLength={maxSignatureLength}
            value={form.values.signature}
            onChange={(signature) => form.set({ signature })}
          />
        </>
      )}
    </ChangeDialog>
  )
}
