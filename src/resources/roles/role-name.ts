/** The names of the roles. */
export type RoleName = 'list' | 'create' | 'read' | 'replace' | 'update' | 'remove'
