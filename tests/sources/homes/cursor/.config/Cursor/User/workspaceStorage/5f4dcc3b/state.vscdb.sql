BEGIN TRANSACTION;
CREATE TABLE ItemTable (key text unique on conflict replace, value blob);
INSERT INTO "ItemTable" VALUES('composer.composerData','{"allComposers": [{"composerId": "8e7d6c5b-1111-4222-8333-444455556666", "createdAt": 1794805200000}, {"composerId": "9f8e7d6c-1111-4222-8333-444455556666"}]}');
COMMIT;
