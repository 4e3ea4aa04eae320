/** Two tiers of a conifer. */
export const Logo = ({ size = 24 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="logo">
    <rect width="32" height="32" rx="7" />
    <path d="M16 5.5 9.5 15h3L8 21.5h6.5V27h3v-5.5H24L19.5 15h3z" fill="#fff" />
  </svg>
)
