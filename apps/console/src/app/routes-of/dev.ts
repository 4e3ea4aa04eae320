export const files = import.meta.glob('../../routes/_app/dev/**/*.tsx', {
  eager: true,
  import: 'Route',
})
